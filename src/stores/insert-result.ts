import type { Collection } from 'mongodb';
import { isDuplicateKey, processSafe } from '#src/stores/connect.ts';
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
export async function insertOnce<Row extends { _id: string; organizationId: string }>(
  rows: Collection<Row>,
  row: Row,
): Promise<Row> {
  try {
    await rows.insertOne(row as never, processSafe);
    return row;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const earlier = await rows.findOne({ _id: row._id, organizationId: row.organizationId } as never);
  if (earlier === null) throw new Error('a result row was deleted between two reads');
  return earlier as unknown as Row;
}
