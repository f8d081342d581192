import type { OcrChange } from '#src/contracts/operators/corrections.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { SavedViewRecord } from '#src/domain/operators/saved-view.ts';
import { changesByPage } from '#src/domain/operators/correct-page.ts';
import type { Stores } from '#test/support/database.ts';
import { documentRecord, pageOf } from '#test/support/records.ts';

const now = new Date();

interface Place {
  readonly organizationId: string;
  readonly projectId: string;
}

export const viewOf = ({ organizationId, projectId }: Place, ownerId: string): SavedViewRecord => ({
  _id: `view of ${organizationId}`,
  organizationId,
  ownerId,
  name: 'Failed',
  page: 'runs',
  query: 'status=failed',
  sharing: 'project',
  projectId,
  createdAt: now,
  updatedAt: now,
});

/** A document in the trash. */
export const trashedOf = (place: Place, _id: string): DocumentRecord =>
  documentRecord({ ...place, _id, deletedAt: new Date(0), trash: { at: new Date(1), by: 'usr_a' } });

export async function readAll<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

export const by = { by: 'person', author: 'usr_a', at: now } as const;
const change: OcrChange = { page: 0, line: 0, text: 'corrected' };
export const changed = changesByPage([change]);

async function askTexts({ corrections, documents, results, search }: Stores, place: Place): Promise<void> {
  const document = documentRecord(place);
  const { organizationId } = place;
  await documents.insert(document);
  const origin = { ...place, documentId: document._id, runId: 'run_t', nodeId: 'n' };
  const result = { engine: 'e', language: 'eng', pages: [pageOf('wrong')] };
  const apart = { modelLabel: 'm', text: 'wrong', avgConfidence: 1, result };
  const { ocrResultId } = await results.saveOcr(origin, apart);
  await corrections.correctOcr(document, ocrResultId, changed, by);
  await corrections.correctOcr(document, ocrResultId, changed, by);
  const other = { ...origin, runId: 'run_u' };
  await results.saveOcrPage(other, { modelLabel: 'm', page: pageOf('wrong') });
  const long = await results.saveOcr(other, { ...apart, result: { ...result, pages: [] }, pagesApart: true });
  await corrections.correctOcr(document, long.ocrResultId, changed, by);
  await corrections.correctDescription(document, null, 'x', by);
  await corrections.correctDescription(document, null, 'x', by);
  await corrections.correctDescription(document, 'dsc_x', 'x', by);
  await corrections.listDescriptions(organizationId, document._id, 10);
  await search.setTexts(organizationId, document._id, { description: 'x' });
}

async function askTrash({ documents, trash }: Stores, { organizationId, projectId }: Place): Promise<void> {
  const tenant = { organizationId, projectIds: [projectId] };
  const document = documentRecord({ organizationId, projectId, sha256: 'a'.repeat(64) });
  const child = documentRecord({ organizationId, projectId, parentDocumentId: document._id });
  await documents.insert(document);
  await documents.insert(child);
  await documents.insert(documentRecord({ organizationId, projectId, duplicateOf: document._id }));
  const moved = await trash.put(tenant, document._id, { by: 'usr_a', at: now });
  if (moved === null) throw new Error('nothing moved');
  await trash.holds(organizationId, document._id);
  for (const after of [null, { createdAt: now, id: 'doc_x' }]) await trash.list(tenant, after, 26);
  await trash.countOf(tenant, [document._id]);
  await trash.countAnywhere(tenant, [document._id]);
  await trash.complete(moved);
  await trash.settle(moved);
  await trash.clear(moved);
  await trash.restore(tenant, document._id, now);
  await trash.expired(now, 10);
  await trash.purge(document, now, now);
  await documents.markDeletedAnywhere(tenant, child._id, now);
}

/** Every query about statistics, reviews, corrections, the trash and views. */
export async function askOperators(stores: Stores, place: Place): Promise<void> {
  const { executions, records, statistics, views } = stores;
  const { organizationId, projectId } = place;
  const tenant = { organizationId, projectIds: [projectId] };
  const range = { from: new Date(0), until: now };
  await readAll(statistics.documents(tenant, range, 10));
  await readAll(statistics.runs(tenant, range, 10));
  await statistics.queue(tenant);
  await statistics.workflowNames(organizationId, ['wf_plans']);
  for (const after of [null, { createdAt: now, id: 'x' }]) {
    await executions.waitingRuns(tenant, after, 26);
    await records.doubtful(tenant, after, 26);
  }
  await executions.countWaiting(tenant, 10);
  await records.countDoubtful(tenant, 10);
  await askTexts(stores, place);
  await askTrash(stores, place);
  const view = viewOf(place, 'usr_a');
  await views.insert(view);
  await views.list({ ...tenant, ownerId: 'usr_a' });
  await views.find(organizationId, view._id);
  await views.countOf(organizationId, 'usr_a');
  await views.countShared(organizationId);
  await views.change(organizationId, view._id, { name: 'x' });
  await views.delete(organizationId, view._id);
  await views.setPreferences('usr_a', { theme: 'dark' });
  await views.setPreferences('usr_a', {});
  await views.preferencesOf('usr_a');
}
