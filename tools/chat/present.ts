import type { z } from 'zod';
import type { Conversation, ConversationDetail } from '#src/contracts/resources/chat.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { ConversationMessage, ConversationRecord } from '#src/domain/chat/conversation.ts';

export function presentConversation(record: ConversationRecord): z.input<typeof Conversation> {
  const { _id: id, title, scope, createdAt, updatedAt } = record;
  return { id, title, scope, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** Expects a message that `storedMessages` filtered for this reader. */
export function presentMessage(
  { thumbnails }: Pick<ToolDeps, 'thumbnails'>,
  { _id: id, role, text, sources, modelLabel, status, certainty, createdAt }: ConversationMessage,
  readable: ReadonlyMap<string, DocumentRecord>,
): z.input<typeof ConversationDetail>['messages'][number] {
  const cards = sources.flatMap((card) => {
    const record = readable.get(card.documentId);
    return record === undefined ? [] : [{ ...card, thumbnailUrl: thumbnails.url(record) }];
  });
  return {
    id,
    role,
    text,
    sources: cards,
    modelLabel,
    status,
    certainty: certainty ?? null,
    createdAt: createdAt.toISOString(),
  };
}
