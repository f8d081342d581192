import { z } from 'zod';
import { AnyId } from '#src/contracts/fields.ts';
import { ConversationDetail } from '#src/contracts/resources/chat.ts';
import { requireConversation } from '#tools/chat/conversation.ts';
import { presentConversation, presentMessage } from '#tools/chat/present.ts';
import { storedMessages } from '#tools/chat/conversation.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { mostMessages } from '#src/domain/chat/conversation.ts';

export const getConversation = defineTool({
  name: 'get_conversation',
  description: 'One of your conversations with its messages and sources. Ids come from list_conversations.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({ conversationId: AnyId.describe('chat_...') }),
  output: ConversationDetail,
  async run({ deps, principal }: ToolContext<'conversations' | 'documents' | 'thumbnails'>, { conversationId }) {
    const conversation = await requireConversation({ deps, principal }, conversationId);
    const { messages, readable } = await storedMessages({ deps, principal }, conversationId, mostMessages);
    return {
      ...presentConversation(conversation),
      messages: messages.map((message) => presentMessage(deps, message, readable)),
    };
  },
});
