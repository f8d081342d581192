import { z } from 'zod';
import { AnyId } from '#src/contracts/fields.ts';
import { DeletedConversation } from '#src/contracts/resources/chat.ts';
import { conversationMissing, ownerOf } from '#tools/chat/conversation.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const deleteConversation = defineTool({
  name: 'delete_conversation',
  description: 'Delete one of your conversations with all its messages. Documents stay.',
  scope: 'documents:read',
  effect: 'destroy',
  audit: false,
  idempotent: false,
  input: z.strictObject({ conversationId: AnyId.describe('chat_...') }),
  output: DeletedConversation,
  async run({ deps, principal }: ToolContext<'conversations'>, { conversationId }) {
    if (!(await deps.conversations.delete(principal.organizationId, ownerOf(principal), conversationId)))
      throw conversationMissing();
    return { id: conversationId, deleted: true } as const;
  },
});
