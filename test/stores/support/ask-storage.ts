import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { apartKinds } from '#src/domain/runs/run.ts';
import type { Stores } from '#test/support/database.ts';

/** Queries that go through all organizations, or that are about what such a query has just found. */
export const sweeping = [
  'documents.presentAmong',
  'executions.endedBetween',
  'executions.waitingBetween',
  'records.changedBetween',
  'documents.namedBetween',
  'documents.correctedBetween',
  'workflows.publishedBetween',
  'workflows.draftsChangedBetween',
  'organizations.idsAfter',
  'trash.expired',
  'usage.totals',
  'uploads.takeExpired',
  'uploads.remove',
  'uploads.removeOne',
  'secrets.rotate',
  'secrets.sealedElsewhere',
  'webhooks.signedElsewhere',
  'retention.deleteEvents',
  'retention.deleteDeliveries',
  'retention.deleteAudit',
  'retention.deleteRuns',
  'retention.deleteCheckpoints',
  'runMends.projectAfter',
  'runMends.due',
  'otherEmbeddings.listAfter',
] as const;

/** Every query about stored bytes: quotas, the recount, and the sweep of uploads. */
export async function askStorage(
  { executions, usage, uploads, documents, organizations, search, otherEmbeddings, runMends, workflows }: Stores,
  document: DocumentRecord,
  now: Date,
): Promise<void> {
  const { _id: id, organizationId, projectId } = document;
  await usage.reserve(document, 5);
  const row = { _id: id, organizationId, label: 'local/lexical-1536' };
  await otherEmbeddings.replace(row, { label: 'local/other-1536', vector: Float32Array.of(1) });
  for (const by of ['exec_x', undefined]) await runMends.settle({ _id: 'run_x', organizationId }, by);
  await usage.add(document, 5, 1);
  await usage.read(organizationId, [organizationId, projectId]);
  await usage.totals();
  await usage.rowsOf(organizationId);
  await executions.draftGraph(organizationId, 'exec_x');
  const counted = { _id: projectId, organizationId, scope: 'project' } as const;
  for (const seen of [null, { bytes: 10, objects: 2 }]) await usage.correct(counted, seen, { bytes: 5, objects: 1 });
  await documents.addPicture(organizationId, id, 5);
  for (const degraded of [{ workflowId: 'wf_x', nodes: ['describe'] }, null])
    await documents.setDegraded(organizationId, id, degraded);
  await documents.setRecordText(organizationId, id, 'words');
  await search.setRecordText(organizationId, id, 'words');
  await search.setNames(organizationId, id, { title: 'words' });
  const tenant = { organizationId, projectIds: [projectId] };
  await documents.change(tenant, id, { givenTitle: 'A title', tags: null });
  await workflows.followersOf(tenant, 'wf_document_intake');
  await documents.firstWith(organizationId, projectId, 'a'.repeat(64));
  await documents.markNear(document, 'doc_other');
  await documents.storedBy(organizationId);
  await documents.presentAmong([id]);
  await uploads.promised(organizationId, '', 10);
  await uploads.takeExpired(now, 10);
  await uploads.removeOne('uploads/x');
  await uploads.remove(['uploads/x']);
  await organizations.idsAfter('', 10);
}

/** Every query of the sweep by age. Deletes what it finds. */
export async function askRetention({ retention, otherEmbeddings, runMends }: Stores, now: Date): Promise<void> {
  await otherEmbeddings.listAfter('', 'local/other-1536', { limit: 10, characters: 100 });
  await runMends.projectAfter('', now);
  await runMends.due('prj_x', now, 10);
  await retention.deleteCheckpoints(now, '', 10);
  await retention.deleteHosted({ organizationId: 'org_plans', documentId: 'doc_a' }, new Date(8e12));
  const after = { _id: 'run_a', finishedAt: new Date(0) };
  for (const place of [after, null]) await retention.deleteRuns(new Date(8e12), place, 10);
  for (const only of apartKinds) await retention.deleteRuns(new Date(8e12), null, 10, only);
  await retention.deleteEvents(new Date(8e12), 10);
  await retention.deleteDeliveries(new Date(8e12), 10);
  await retention.deleteAudit(new Date(8e12), 10);
}

/** Asks for what sweeps announce if nobody did. */
export async function askChanges({ executions, documents, workflows }: Stores): Promise<void> {
  const window = { from: new Date(0), after: '', until: new Date() };
  await executions.endedBetween(window, 10);
  await executions.waitingBetween(window, 10);
  await documents.namedBetween(window, 10);
  await documents.correctedBetween(window, 10);
  await workflows.publishedBetween(window, 10);
  await workflows.draftsChangedBetween(window, 10);
}
