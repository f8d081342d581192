import type { Db, Document } from 'mongodb';
import { UsageError } from '#scripts/cli/with-app.ts';
import { fewAtATime } from '#scripts/migrate/few-at-a-time.ts';
import { readProgress, saveProgress, type Progress } from '#scripts/migrate/progress.ts';
import { decodeExactly, idOf, nameOfRow, readBatches, type Row } from '#scripts/migrate/rows.ts';
import { moveObjectsOf, placedRow, type Move } from '#scripts/migrate/objects.ts';

/** One copy of an installation. */
export interface Copying {
  readonly source: Db;
  readonly target: Db;
  /** null: the objects stay where they are. */
  readonly move: Move | null;
  readonly collections: readonly string[];
  /** Writes a line for the operator. */
  readonly say: (line: string) => void;
  /** Throws when another process took over. */
  readonly stillHeld: () => Promise<void>;
}

const usualRows = 1_000;
/** Rows whose objects are copied with them, of which an interruption costs the more. */
const rowsWithObjects = 50;
/** Rows whose objects are copied at a time. Each holds one object twice. */
const movesAtOnce = 4;
/** Requests for the heads of objects at a time. */
const looksAtOnce = 16;

const hasObjects = (collection: string): boolean => collection === 'documents' || collection === 'uploads';

/** Rows of a batch as the target is to have them. */
export function rowsFor(
  { move }: Pick<Copying, 'move'>,
  collection: string,
  batch: readonly Uint8Array[],
): Promise<Row[]> {
  return fewAtATime(batch, looksAtOnce, async (bytes) => {
    const row = decodeExactly(bytes);
    if (row === null)
      throw new UsageError(
        `${collection}: the row ${nameOfRow(bytes)} has a value of a kind that nothing writes any more, and cannot be copied exactly. Replace or delete it, then run the command again.`,
      );
    return move !== null && collection === 'documents' ? placedRow(move, bytes, row) : row;
  });
}

async function moveAll(
  { move, say }: Copying,
  collection: string,
  batch: readonly Uint8Array[],
): Promise<{ objects: number; bytes: number }> {
  const total = { objects: 0, bytes: 0 };
  if (move === null || !hasObjects(collection)) return total;
  const moved = await fewAtATime(batch, movesAtOnce, (bytes) => moveObjectsOf(move, collection, bytes));
  for (const { objects, bytes, missing } of moved) {
    total.objects += objects;
    total.bytes += bytes;
    for (const key of missing) say(`warning: the source has no object ${key}, which a document names`);
  }
  return total;
}

async function writeRows(target: Db, collection: string, rows: readonly Row[]): Promise<void> {
  const operations = rows.map((row) => {
    const filter: Document = { _id: idOf(row) };
    return { replaceOne: { filter, replacement: row, upsert: true } };
  });
  await target.collection(collection).bulkWrite(operations, { ordered: false });
}

async function copyCollection(copying: Copying, collection: string, earlier: Progress | undefined): Promise<Progress> {
  const { source, target, say, stillHeld, move } = copying;
  const isAnew = earlier?.state === 'differs';
  if (isAnew) await target.collection(collection).deleteMany({});
  const begun = earlier === undefined || isAnew ? { rows: 0, objects: 0, bytes: 0 } : earlier;
  let { rows, objects, bytes } = begun;
  let last = 'last' in begun ? begun.last : undefined;
  const most = move !== null && hasObjects(collection) ? rowsWithObjects : usualRows;
  const all = await source.collection(collection).estimatedDocumentCount();
  for await (const batch of readBatches(source, collection, { after: last, most })) {
    await stillHeld();
    const moved = await moveAll(copying, collection, batch);
    const decoded = await rowsFor(copying, collection, batch);
    await writeRows(target, collection, decoded);
    const end = decoded.at(-1);
    last = end === undefined ? last : idOf(end);
    rows += batch.length;
    objects += moved.objects;
    bytes += moved.bytes;
    await saveProgress(target, collection, { last, rows, objects, bytes, state: 'copying' });
    say(`${collection}: ${rows} of ${all} rows${objects > 0 ? `, ${objects} objects of ${bytes} bytes` : ''}`);
  }
  const done = { ...(last === undefined ? {} : { last }), rows, objects, bytes, state: 'copied' } as const;
  await saveProgress(target, collection, done);
  return { _id: collection, ...done };
}

/** Copies the collections in turn, each from where an earlier run ended. Returns the numbers of rows, objects and bytes of objects. */
export async function copyAll(copying: Copying): Promise<{ rows: number; objects: number; bytes: number }> {
  const known = await readProgress(copying.target);
  const total = { rows: 0, objects: 0, bytes: 0 };
  for (const collection of copying.collections) {
    const earlier = known.get(collection);
    const { rows, objects, bytes } =
      earlier?.state === 'copied' ? earlier : await copyCollection(copying, collection, earlier);
    total.rows += rows;
    total.objects += objects;
    total.bytes += bytes;
  }
  return total;
}
