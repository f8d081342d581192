import { Binary, type Collection, type Db } from 'mongodb';
import { dimensions, madeUp } from '#scripts/bench/documents/made-up.ts';
import type { Child } from '#scripts/bench/processes/child.ts';

/** A made-up document as the engine keeps it. */
export interface Kept {
  readonly _id: string;
  readonly organization: string;
  readonly createdAt: Date;
  readonly email: string;
  readonly text: string;
  readonly vector: Binary;
}

export const textIndex = 'text';
export const vectorIndex = 'vectors';
const atOnce = 500;

export async function createKept(db: Db): Promise<Collection<Kept>> {
  const kept = await db.createCollection<Kept>('kept');
  await kept.createIndexes([{ key: { email: 1 }, unique: true }, { key: { organization: 1, createdAt: -1, _id: -1 } }]);
  await kept.createSearchIndexes([
    {
      name: textIndex,
      definition: {
        mappings: {
          dynamic: false,
          fields: { organization: { type: 'token' }, text: { type: 'string', analyzer: 'lucene.english' } },
        },
      },
    },
    {
      name: vectorIndex,
      type: 'vectorSearch',
      definition: {
        fields: [
          { type: 'vector', path: 'vector', numDimensions: dimensions, similarity: 'cosine' },
          { type: 'filter', path: 'organization' },
        ],
      },
    },
  ]);
  return kept;
}

/** A document without a vector: what most collections hold. */
export interface Plain {
  readonly _id: string;
  readonly email: string;
  readonly body: string;
}

export async function loadPlain(db: Db, count: number): Promise<Collection<Plain>> {
  const plain = await db.createCollection<Plain>('plain');
  await plain.createIndexes([{ key: { email: 1 }, unique: true }]);
  for (let start = 0; start < count; start += atOnce) {
    await plain.insertMany(
      Array.from({ length: Math.min(atOnce, count - start) }, (_, index) => {
        const at = start + index;
        return { _id: `plain-${at}`, email: `user${at}@example.org`, body: 'x'.repeat(200) };
      }),
    );
  }
  return plain;
}

/** Inserts the documents `from` to `to` on both sides. */
export async function load(
  kept: Collection<Kept>,
  sqlite: Child,
  { from, to, progress }: { from: number; to: number; progress: (text: string) => void },
): Promise<void> {
  for (let start = from; start < to; start += atOnce) {
    if (start % 10_000 === 0) progress(`loading document ${start} of ${to}`);
    const end = Math.min(start + atOnce, to);
    const batch = Array.from({ length: end - start }, (_, index) => {
      const { vector, ...rest } = madeUp(start + index);
      return { ...rest, vector: Binary.fromFloat32Array(vector) };
    });
    await Promise.all([kept.insertMany(batch), sqlite.ask('load', { from: start, to: end })]);
  }
}
