import { createStore } from '../../state/store.ts';

/** The list that a document was opened from: ids in its order, and the address that shows it again. */
export const cameFrom = createStore<{ readonly ids: readonly string[]; readonly address: string } | null>(null);

/** Neighbours of a document in that list. Null: it was opened from elsewhere. */
export function neighbours(from: ReturnType<typeof cameFrom.get>, id: string) {
  const at = from?.ids.indexOf(id) ?? -1;
  if (from === null || at < 0) return null;
  return { at, all: from.ids.length, before: from.ids[at - 1], after: from.ids[at + 1], address: from.address };
}
