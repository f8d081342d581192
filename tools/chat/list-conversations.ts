import { ConversationList, ConversationQuery } from '#src/contracts/resources/chat.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { ownerOf } from '#tools/chat/conversation.ts';
import { presentConversation } from '#tools/chat/present.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listConversations = defineTool({
  name: 'list_conversations',
  description: 'Your conversations about documents, newest first. Pass nextCursor as cursor for the next page.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: ConversationQuery,
  output: ConversationList,
  async run({ deps, principal }: ToolContext<'conversations' | 'cursorSecret'>, { limit, cursor }) {
    const { organizationId } = principal;
    const owner = ownerOf(principal);
    const binding = JSON.stringify(['conversations', organizationId, owner]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    // Reads one more than asked for, to know if there is a next page.
    const found = await deps.conversations.list(organizationId, owner, after, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      conversations: page.map(presentConversation),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
          : null,
    };
  },
});
