import type { Collection, Document, Filter, MongoClient } from 'mongodb';
import { isClientDuplicatesOnly, isDuplicateKey, processSafe } from '#src/stores/connect.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { derivedId, type IdKind } from '#src/domain/ids.ts';
import type { ResultOrigin } from '#src/domain/documents/results.ts';

/** Id of a result: the same for each attempt of its node. */
export const rowId = (kind: IdKind, origin: ResultOrigin, key = ''): string =>
  derivedId(kind, origin.runId, origin.nodeId, key);

/** Matches the document that shows the latest of its results. A document that is being deleted shows nothing. */
export const latestOf = ({ documentId, organizationId }: ResultOrigin) => ({
  _id: documentId,
  organizationId,
  deletedAt: { $exists: false },
});

/** Leaves out results of experiments. */
export const shown = { isolated: { $exists: false } } as const;

/** Inserts the row, or returns the one of an earlier attempt of the same node. */
async function insertOnce<Row extends { _id: string; organizationId: string }>(
  rows: Collection<Row>,
  row: Row,
): Promise<Row> {
  try {
    await rows.insertOne(row as never, processSafe);
    return row;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  return earlierOf(rows, row);
}

async function earlierOf<Row extends { _id: string; organizationId: string }>(
  rows: Collection<Row>,
  row: Row,
): Promise<Row> {
  const earlier = await rows.findOne({ _id: row._id, organizationId: row.organizationId } as never);
  if (earlier === null) throw new Error('a result row was deleted between two reads');
  return earlier as unknown as Row;
}

interface Shown<Row> {
  readonly row: Row;
  /** Summary that the document shows of the row. Absent: it shows none, and is only looked for. */
  readonly latest?: (row: Row) => Partial<DocumentRecord>;
  /** Fields that the document loses with it. */
  readonly ends?: readonly (keyof DocumentRecord)[];
  /** Called if the document was there after the row was stored. */
  readonly seen?: (() => void) | undefined;
}

/** Matches, and changes nothing. */
const look = { $setOnInsert: { schemaVersion: 1 } } as const;

/** Inserts the row, and then shows it on its document or looks for that, in one command. Results of experiments are shown nowhere. */
export async function insertShown<Row extends ResultOrigin & { _id: string }>(
  client: MongoClient,
  { rows, documents }: { readonly rows: Collection<Row>; readonly documents: Collection<DocumentRecord> },
  { row, latest, ends = [], seen }: Shown<Row>,
): Promise<Row> {
  if (row.isolated === true) return insertOnce(rows, row);
  const filter: Filter<DocumentRecord> = latestOf(row);
  const unset = ends.length === 0 ? {} : { $unset: Object.fromEntries(ends.map((name) => [name, true])) };
  const changeBy = (stored: Row): Document => (latest === undefined ? look : { $set: latest(stored), ...unset });
  try {
    const done = await client.bulkWrite(
      [
        { namespace: rows.namespace, name: 'insertOne', document: row as Document },
        {
          namespace: documents.namespace,
          name: 'updateOne',
          filter: filter as Filter<Document>,
          update: changeBy(row),
        },
      ],
      { ordered: true, ...processSafe },
    );
    if (done.matchedCount === 1) seen?.();
    return row;
  } catch (error) {
    // Ordered: the document does not show the row of this attempt.
    if (!isClientDuplicatesOnly(error)) throw error;
  }
  const earlier = await earlierOf(rows, row);
  const done = await documents.updateOne(filter, changeBy(earlier), processSafe);
  if (done.matchedCount === 1) seen?.();
  return earlier;
}
