import type { Reply } from '../../api/families.ts';
import { documents as words } from '../../text/documents.ts';

/** A document as lists and searches have it. */
export type Card = Reply<'documents', 'list'>['documents'][number];

export const titleOf = (card: Pick<Card, 'title' | 'filename'>): string =>
  card.title ?? card.filename ?? words.untitled;
