import { by, changed, readAll, trashedOf, viewOf } from '#test/stores/support/ask-operators.ts';
import type { Stores } from '#test/support/database.ts';

interface Who {
  readonly organizationId: string;
  readonly projectIds: [string];
  readonly documentId: string;
}
type Try = (asker: Who, target: Who) => Promise<unknown>;

const range = { from: new Date(0), until: new Date(8e12) };
const owner = ({ organizationId }: Who): string => `usr of ${organizationId}`;
const placeOf = ({ organizationId, projectIds: [projectId] }: Who) => ({ organizationId, projectId });
const trashedId = ({ documentId }: Who): string => `trashed ${documentId}`;
const viewId = ({ organizationId }: Who): string => `view of ${organizationId}`;
/** The projects of the target under the organization of the asker. */
const within = ({ organizationId }: Who, { projectIds }: Who) => ({ organizationId, projectIds });
const trashedAs = ({ organizationId }: Who, target: Who) => ({
  ...trashedOf(placeOf(target), trashedId(target)),
  organizationId,
});

export async function seedOperators({ documents, views }: Stores, who: Who): Promise<void> {
  await documents.insert(trashedOf(placeOf(who), trashedId(who)));
  await views.insert(viewOf(placeOf(who), owner(who)));
}

export const operatorReads = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  'statistics.documents': (who, target) => readAll(stores().statistics.documents(within(who, target), range, 9)),
  'statistics.runs': (who, target) => readAll(stores().statistics.runs(within(who, target), range, 9)),
  'statistics.queue': async (who, target) =>
    Object.values(await stores().statistics.queue(within(who, target))).filter((one) => one !== 0 && one !== null),
  'executions.waitingRuns': (who, target) => stores().executions.waitingRuns(within(who, target), null, 9),
  'executions.countWaiting': (who, target) => stores().executions.countWaiting(within(who, target), 9),
  'records.doubtful': (who, target) => stores().records.doubtful(within(who, target), null, 9),
  'records.countDoubtful': (who, target) => stores().records.countDoubtful(within(who, target), 9),
  'corrections.listDescriptions': (who, { documentId }) =>
    stores().corrections.listDescriptions(who.organizationId, documentId, 9),
  'trash.holds': async (who, target) => (await stores().trash.holds(who.organizationId, trashedId(target))) || null,
  'trash.list': (who, target) => stores().trash.list(within(who, target), null, 9),
  'trash.countOf': (who, target) => stores().trash.countOf(within(who, target), [trashedId(target)]),
  'trash.countAnywhere': (who, target) => stores().trash.countAnywhere(within(who, target), [trashedId(target)]),
  'views.list': (who, target) => stores().views.list({ ...within(who, target), ownerId: owner(target) }),
  'views.find': (who, target) => stores().views.find(who.organizationId, viewId(target)),
  'views.countOf': (who, target) => stores().views.countOf(who.organizationId, owner(target)),
});

export const operatorChanges = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  'corrections.correctOcr': async (who, target) => {
    const [latest] = await stores().results.listOcr(target.organizationId, target.documentId, 1);
    const document = { _id: target.documentId, organizationId: who.organizationId };
    return stores().corrections.correctOcr(document, latest?.ocrResultId ?? '', changed, by);
  },
  'corrections.correctDescription': async (who, target) => {
    const document = { ...trashedAs(who, target), _id: target.documentId };
    return stores().corrections.correctDescription(document, null, 'stolen', by);
  },
  'documents.markDeletedAnywhere': (who, target) =>
    stores().documents.markDeletedAnywhere(within(who, target), trashedId(target), new Date()),
  'search.setTexts': (who, { documentId }) =>
    stores().search.setTexts(who.organizationId, documentId, { description: 'stolen' }),
  'trash.put': (who, target) => stores().trash.put(within(who, target), target.documentId, by),
  'trash.restore': (who, target) => stores().trash.restore(within(who, target), trashedId(target), new Date()),
  'trash.complete': (who, target) => stores().trash.complete(trashedAs(who, target)),
  'trash.settle': (who, target) => stores().trash.settle(trashedAs(who, target)),
  'trash.clear': (who, target) => stores().trash.clear(trashedAs(who, target)),
  'trash.purge': (who, target) => stores().trash.purge(trashedAs(who, target), range.until, new Date()),
  'views.change': (who, target) => stores().views.change(who.organizationId, viewId(target), { name: 'stolen' }),
  'views.delete': (who, target) => stores().views.delete(who.organizationId, viewId(target)),
});
