import { z } from 'zod';
import { AnyId } from '#src/contracts/fields.ts';
import { ConversationDetail } from '#src/contracts/resources/chat.ts';
import { mostMessages } from '#src/domain/ports/conversations.ts';
import { ownerOf, requireConversation } from '#tools/chat/conversation.ts';
import { presentConversation, presentMessage } from '#tools/chat/present.ts';
import { defineTool } from '#tools/define.ts';

export const getConversation = defineTool({
  name: 'get_conversation',
  description:
    'One of your conversations with its messages and sources. Ids come from list_conversations or ask_documents.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({ conversationId: AnyId.describe('chat_...') }),
  output: ConversationDetail,
  async run({ deps, principal }, { conversationId }) {
    const conversation = await requireConversation({ deps, principal }, conversationId);
    const messages = await deps.conversations.messages(
      principal.organizationId,
      ownerOf(principal),
      conversationId,
      mostMessages,
    );
    const cited = new Set(messages.flatMap(({ sources }) => sources.map(({ documentId }) => documentId)));
    const records = cited.size === 0 ? [] : await deps.documents.findMany(principal, [...cited]);
    const readable = new Map(records.map((record) => [record._id, record]));
    return {
      ...presentConversation(conversation),
      messages: messages.map((message) => presentMessage(deps, message, readable)),
    };
  },
});
