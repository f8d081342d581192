import { recordOf } from '#test/stores/support/ask-records.ts';
import { operatorChanges, operatorReads, seedOperators } from '#test/support/tenancy/operators.ts';
import type { Stores } from '#test/support/database.ts';

interface Who {
  readonly organizationId: string;
  readonly projectIds: [string];
  readonly documentId: string;
}
type Try = (asker: Who, target: Who) => Promise<unknown>;

const text = 'The walnut table';
const of = ({ organizationId, projectIds, documentId }: Who) =>
  recordOf({ organizationId, projectId: projectIds[0] }, documentId, text);
/** The records of the target under the organization of the asker. */
const stolen = ({ organizationId }: Who, target: Who) => {
  const { type, row, question, grouping } = of(target);
  if (grouping === null) throw new Error('nothing is grouped');
  const theirs = { organizationId };
  return { type: { ...type, ...theirs }, row: { ...row, ...theirs }, question: { ...question, ...theirs }, grouping };
};
const place = (who: Who, target: Who) => ({ organizationId: who.organizationId, projectId: target.projectIds[0] });

export async function seedRecord(stores: Stores, who: Who): Promise<void> {
  const { records, recordTypes } = stores;
  const { type, row } = of(who);
  await recordTypes.save(type);
  await records.save(row);
  await records.save({ ...row, _id: `doubtful ${row._id}`, status: 'doubtful' });
  await seedOperators(stores, who);
}

export const recordReads = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  ...operatorReads(stores),
  'recordTypes.find': (who, target) => stores().recordTypes.find(place(who, target), 'own-type'),
  'recordTypes.list': async (who, target) =>
    (await stores().recordTypes.list(place(who, target))).filter(({ version }) => version > 0),
  'recordTypes.count': (who, target) => stores().recordTypes.count(place(who, target)),
  'records.find': (who, target) => stores().records.find({ ...who, projectIds: target.projectIds }, of(target).row._id),
  'records.ofDocument': (who, target) =>
    stores().records.ofDocument({ ...who, projectIds: target.projectIds }, target.documentId),
  'records.documentIds': (who, target) => stores().records.documentIds(stolen(who, target).question, 9),
  'records.query': (who, target) =>
    stores().records.query(stolen(who, target).question, { path: null, descending: true }, { after: null, limit: 9 }),
  'records.groups': (who, target) => {
    const { question, grouping } = stolen(who, target);
    return stores().records.groups(question, grouping, 9);
  },
});

export const recordChanges = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  ...operatorChanges(stores),
  'recordTypes.save': (who, target) => stores().recordTypes.save({ ...stolen(who, target).type, version: 2 }),
  'records.save': (who, target) => stores().records.save({ ...stolen(who, target).row, revision: 2 }),
  'documents.setRecordText': (who, target) =>
    stores().documents.setRecordText(who.organizationId, target.documentId, 'stolen'),
  'search.setRecordText': (who, target) =>
    stores().search.setRecordText(who.organizationId, target.documentId, 'stolen'),
  'documents.change': (who, { projectIds, documentId }) =>
    stores().documents.change({ ...who, projectIds }, documentId, { givenTitle: 'stolen', tags: null }),
  'search.setNames': (who, target) =>
    stores().search.setNames(who.organizationId, target.documentId, { title: 'stolen' }),
  'records.deleteOf': (who, target) => stores().records.deleteOf(who.organizationId, target.documentId),
});
