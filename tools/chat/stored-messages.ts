import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { ownerOf } from '#tools/chat/conversation.ts';
import type { ToolContext } from '#tools/define.ts';
import { withdrawnAnswer, type ConversationMessage } from '#src/domain/chat/conversation.ts';

export interface StoredMessages {
  readonly messages: readonly ConversationMessage[];
  /** Documents of the messages' sources. */
  readonly readable: ReadonlyMap<string, DocumentRecord>;
}

/**
 * Reads the newest messages of a conversation as the reader may see them now. A document that was deleted or that the reader may no longer
 * read shows no card, and answers that could quote it show no text.
 */
export async function storedMessages(
  { deps, principal }: Pick<ToolContext<'conversations' | 'documents'>, 'deps' | 'principal'>,
  conversationId: string,
  limit: number,
): Promise<StoredMessages> {
  const stored = await deps.conversations.messages(principal.organizationId, ownerOf(principal), conversationId, limit);
  const named = new Set(stored.flatMap(({ sources }) => sources.map(({ documentId }) => documentId)));
  const records = named.size === 0 ? [] : await deps.documents.findMany(principal, [...named]);
  const readable = new Map(records.map((record) => [record._id, record]));
  const messages = stored.map((message) => {
    const sources = message.sources.filter(({ documentId }) => readable.has(documentId));
    return sources.length === message.sources.length ? message : { ...message, text: withdrawnAnswer, sources };
  });
  return { messages, readable };
}
