import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { TrashStore } from '#src/stores/operators/trash.ts';

interface Parts {
  readonly trash: Pick<TrashStore, 'expired' | 'purge'>;
  readonly relay: (document: DocumentRecord) => void;
}

/** Documents in one batch. Other work gets its turn before the next. */
const batchSize = 100;
const dayMs = 86_400_000;

/**
 * Deletes documents permanently that are in the trash for `days`, in the way of a deletion by a person: one write marks each, and the outbox
 * does the rest. A document that is restored meanwhile stays. Source: docs/decisions/0164.
 */
export async function emptyTrash(
  { trash, relay }: Parts,
  days: number,
  now: Date,
): Promise<{ readonly documents: number }> {
  const until = new Date(now.getTime() - days * dayMs);
  for (let documents = 0; ;) {
    const due = await trash.expired(until, batchSize);
    for (const one of due) {
      const marked = await trash.purge(one, until, now);
      if (marked === null) continue;
      relay(marked);
      documents += 1;
    }
    if (due.length < batchSize) return { documents };
  }
}
