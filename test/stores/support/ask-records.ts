import type { Document } from 'mongodb';
import { facetsOf } from '#src/domain/records/facets.ts';
import { presets } from '#src/domain/records/presets.ts';
import { pathsOf, recordTypeId, type RecordTypeRecord } from '#src/domain/records/record-type.ts';
import { recordId, type CellRecord } from '#src/domain/records/record.ts';
import { readFilter, readGrouping } from '#src/domain/records/read-question.ts';
import { valuesOf } from '#src/domain/records/values.ts';
import type { RecordQuestion } from '#src/stores/records/record-queries.ts';
import type { RecordRow } from '#src/stores/records/row.ts';
import { askOperators } from '#test/stores/support/ask-operators.ts';
import type { Stores } from '#test/support/database.ts';

const now = new Date();
const [preset] = presets;
if (preset === undefined) throw new Error('there is no preset');
const paths = pathsOf(preset.fields);

interface Place {
  readonly organizationId: string;
  readonly projectId: string;
}

/** A type of the place with a name of its own, a record of the document by it, and a question that finds the record. */
export function recordOf(place: Place, documentId: string, words: string) {
  const type: RecordTypeRecord = {
    ...place,
    ...preset,
    title: words,
    fields: preset?.fields ?? {},
    rules: [],
    name: 'own-type',
    _id: recordTypeId(place, 'own-type'),
    version: 1,
    savedAt: now,
    savedBy: 'test',
    earlier: [],
  };
  const cell = {
    raw: words,
    confidence: 1,
    verified: true,
    page: 0,
    box: null,
    by: 'rules',
    at: now,
    runId: null,
  } as const;
  const cells: CellRecord[] = [
    { ...cell, path: 'vendor', value: words },
    { ...cell, path: 'total', value: { amount: 7, currency: 'EUR' } },
  ];
  const row: RecordRow = {
    ...place,
    _id: recordId(documentId, type._id),
    documentId,
    recordTypeId: type._id,
    recordType: type.name,
    typeVersion: 1,
    status: 'proposed',
    problems: [],
    cells,
    corrections: [],
    revision: 1,
    createdAt: now,
    updatedAt: now,
    values: valuesOf(cells, type.fields),
    facets: facetsOf(cells, paths),
  };
  const question: RecordQuestion = { ...place, recordTypeId: type._id, terms: readFilter(paths, { total: { gt: 5 } }) };
  return { type, row, question, grouping: readGrouping(paths, ['vendor'], ['sum(total)']) };
}

/** True for a sort by a field of records: no index has all fields (0138). */
export const sortsByField = ({ of, command }: { readonly of: string; readonly command: Document | null }): boolean =>
  of === 'records.query' && !new Map(command?.['sort'] as Map<string, unknown>).has('createdAt');

/** Every query about record types and records. */
export async function askRecords(stores: Stores, place: Place): Promise<void> {
  const { records, recordTypes } = stores;
  const { type, row, question, grouping } = recordOf(place, 'doc_a', 'words');
  if (grouping === null) throw new Error('nothing is grouped');
  const tenant = { organizationId: place.organizationId, projectIds: [place.projectId, 'prj_other'] };
  await recordTypes.save(type);
  await recordTypes.save({ ...type, version: 2 });
  await recordTypes.find(place, type.name);
  await recordTypes.list(place);
  await recordTypes.count(place);
  await records.save(row);
  await records.save({ ...row, revision: 2 });
  await records.find(tenant, row._id);
  await records.changedBetween({ from: new Date(0), after: '', until: new Date() }, 10);
  await records.ofDocument(tenant, 'doc_a');
  await records.documentIds(question, 100);
  const plain = { ...question, terms: [] };
  for (const asked of [question, plain, { ...plain, status: 'doubtful' as const }, { ...plain, documentId: 'doc_a' }])
    for (const after of [null, { value: now.getTime(), id: row._id }])
      await records.query(asked, { path: null, descending: true }, { after, limit: 26 });
  await records.query(question, { path: 'total.amount', descending: false }, { after: null, limit: 26 });
  await records.groups(question, grouping, 100);
  await records.deleteOf(place.organizationId, 'doc_other');
  await askOperators(stores, place);
}
