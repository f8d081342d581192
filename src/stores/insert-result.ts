import type { Collection, Document, Filter, MongoClient } from 'mongodb';
import { isClientDuplicatesOnly, isDuplicateKey, processSafe } from '#src/stores/connect.ts';
import type { CorrectedText, DocumentRecord } from '#src/domain/documents/document.ts';
import { derivedId, type IdKind } from '#src/domain/ids.ts';
import type { Correctable, ResultOrigin } from '#src/domain/documents/results.ts';

/** Id of a result: the same for each attempt of its node. */
export const rowId = (kind: IdKind, origin: ResultOrigin, key = ''): string =>
  derivedId(kind, origin.runId, origin.nodeId, key);

/** Matches the document that shows the latest of its results. A document that is being deleted shows nothing. */
export const latestOf = ({ documentId, organizationId }: ResultOrigin) => ({
  _id: documentId,
  organizationId,
  deletedAt: { $exists: false },
});

/** Matches a document whose text of this kind nobody corrected since `baseAt`. Source: docs/decisions/0268. */
export const uncorrectedSince = (kind: CorrectedText, baseAt: Correctable['baseAt']): Filter<DocumentRecord> =>
  baseAt === undefined
    ? {}
    : {
        $nor: [
          { [`correctedAt.${kind}`]: { $gte: baseAt } },
          // Corrections by versions that stored no such time.
          { [`${kind}.correctionOf`]: { $exists: true }, [`${kind}.createdAt`]: { $gte: baseAt } },
        ],
      };

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
  /** Condition of the document to show it. Other documents keep what they show. */
  readonly onlyIf?: Filter<DocumentRecord>;
  /** Fields that the document loses with it, also where it does not show it. */
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
  { row, latest, onlyIf, ends = [], seen }: Shown<Row>,
): Promise<Row> {
  if (row.isolated === true) return insertOnce(rows, row);
  const filter: Filter<DocumentRecord> = { ...latestOf(row), ...onlyIf };
  const unset = ends.length === 0 ? {} : { $unset: Object.fromEntries(ends.map((name) => [name, true] as const)) };
  const changeBy = (stored: Row): Document => (latest === undefined ? look : { $set: latest(stored), ...unset });
  const ended = async (matched: number): Promise<void> => {
    if (matched === 1) seen?.();
    else if (onlyIf !== undefined) {
      const kept = await documents.updateOne(latestOf(row), ends.length === 0 ? look : unset, processSafe);
      if (kept.matchedCount === 1) seen?.();
    }
  };
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
    await ended(done.matchedCount);
    return row;
  } catch (error) {
    // Ordered: the document does not show the row of this attempt.
    if (!isClientDuplicatesOnly(error)) throw error;
  }
  const earlier = await earlierOf(rows, row);
  await ended((await documents.updateOne(filter, changeBy(earlier), processSafe)).matchedCount);
  return earlier;
}
