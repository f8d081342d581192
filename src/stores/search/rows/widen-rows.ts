import type { AnyBulkWriteOperation, Db } from 'mongodb';
import type { SearchRow } from '#src/stores/search/rows/row.ts';
import { identifierLimits, identifiersOf } from '#src/domain/documents/identifiers.ts';
import { looseText } from '#src/domain/search/word-forms.ts';

const batchSize = 200;

/** Adds normalized spellings, and numbers written with spaces, to rows of schema 1. A repeated call continues after the last row. */
export async function widenSearchRows(db: Db): Promise<void> {
  const rows = db.collection<SearchRow>('searchRecords');
  const older = rows.find({ looseText: { $exists: false } }, { projection: { embedding: 0 } }).batchSize(batchSize);
  let writes: AnyBulkWriteOperation<SearchRow>[] = [];
  const flush = async (): Promise<void> => {
    if (writes.length > 0) await rows.bulkWrite(writes, { ordered: false });
    writes = [];
  };
  for await (const { _id, organizationId, identifiers, title, description, ocrText, segmentationText = '' } of older) {
    const text = [title, description, ocrText, segmentationText].join('\n');
    const all = [...new Set([...identifiers, ...identifiersOf(text)])].slice(0, identifierLimits.count);
    const $set = { looseText: looseText(text), identifiers: all };
    writes.push({ updateOne: { filter: { _id, organizationId }, update: { $set } } });
    if (writes.length === batchSize) await flush();
  }
  await flush();
}
