import type { Db, IndexDescription } from 'mongodb';
import { checkpointIndexes } from '#src/stores/checkpoints/rows.ts';
import { indexes, type Index } from '#src/stores/indexes.ts';

/** `differs`: there is one of this name with another key or other options. `unexpected`: this program makes none of this name. */
export interface IndexFinding {
  readonly collection: string;
  readonly name: string;
  readonly state: 'there' | 'missing' | 'differs' | 'unexpected';
}

/** Name that servers give to an index without one. */
const usualName = (key: IndexDescription['key']): string => Object.entries(key).flat().join('_');

/** Parts of a definition that tell indexes apart, as text. */
function signature({ key, unique, sparse, expireAfterSeconds, partialFilterExpression }: IndexDescription): string {
  const part = partialFilterExpression ?? null;
  return JSON.stringify([Object.entries(key), unique ?? false, sparse ?? false, expireAfterSeconds ?? null, part]);
}

/** Indexes that this program makes, by collection. */
const wanted: ReadonlyMap<string, readonly Index[]> = new Map([
  ...Object.entries(indexes),
  ...Object.entries(checkpointIndexes).map(([name, keys]) => [name, keys.map((key): Index => [key])] as const),
]);

/** Compares the indexes of every collection with those that this program makes. Changes nothing. */
export async function findIndexes(db: Db): Promise<readonly IndexFinding[]> {
  const stored = await db.listCollections({}, { nameOnly: true }).toArray();
  const there = new Set(stored.map(({ name }) => name));
  const found: IndexFinding[] = [];
  for (const collection of new Set([...wanted.keys(), ...there].toSorted())) {
    const present = there.has(collection) ? await db.collection(collection).listIndexes().toArray() : [];
    const byName = new Map(present.map((index: IndexDescription) => [index.name ?? '', index]));
    byName.delete('_id_');
    for (const [key, options] of wanted.get(collection) ?? []) {
      const name = usualName(key);
      const held = byName.get(name);
      byName.delete(name);
      const isSame = held !== undefined && signature(held) === signature({ key, ...options });
      found.push({ collection, name, state: held === undefined ? 'missing' : isSame ? 'there' : 'differs' });
    }
    for (const name of byName.keys()) found.push({ collection, name, state: 'unexpected' });
  }
  return found;
}
