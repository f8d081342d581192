import { orderOf } from '#src/domain/documents/list-order.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import { executionRecord } from '#test/support/records.ts';
import { readingChanges, readingReads, seedReading } from '#test/support/tenancy/readings.ts';
import type { Stores } from '#test/support/database.ts';

interface Who {
  readonly organizationId: string;
  readonly projectIds: [string];
  readonly documentId: string;
  readonly executionId: string;
  readonly runId: string;
  readonly keyId: string;
  readonly workflowId: string;
}
interface Held extends Who {
  readonly lease: Lease;
}
type Try = (asker: Who, target: Who) => Promise<unknown>;

/** Id of the execution of a draft that each organization has. Operators stay operators. */
const draftIdOf = (documentId: string): string =>
  typeof documentId === 'string' ? `exec_draft_${documentId}` : documentId;

/** Stores an execution of a draft, whose graph names the organization, and a page that a run has read. */
export async function seedDraft(
  stores: Stores,
  { organizationId, projectIds: [projectId], documentId }: Pick<Who, 'organizationId' | 'projectIds' | 'documentId'>,
): Promise<void> {
  const execution = executionRecord({
    _id: draftIdOf(documentId),
    organizationId,
    projectId,
    documentIds: [documentId],
  });
  const draft = { revision: 1, graph: JSON.stringify({ name: organizationId }) };
  await stores.executions.create({ ...execution, draft }, () => []);
  await seedReading(stores, { organizationId, projectIds: [projectId], documentId });
}

/** Lists and counts, with the projects and ids of the target. */
export const listReads = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  ...readingReads(stores),
  'documents.list': (who, { projectIds, keyId }) => {
    const question = { selection: { apiKeyId: keyId }, order: orderOf() };
    return stores().documents.list({ ...who, projectIds }, question, null, 100);
  },
  'documents.countMatching': (who, { projectIds }) => stores().documents.countMatching({ ...who, projectIds }, {}),
  'documents.countFacets': async (who, { projectIds }) => [
    ...((await stores().documents.countFacets({ ...who, projectIds }, {}, ['type'])).get('type')?.values ?? []),
  ],
  'workflows.draftStates': async (who, { workflowId }) => [
    ...(await stores().workflows.draftStates(who.organizationId, [workflowId])),
  ],
  'executions.countRuns': async (who, { projectIds, executionId }) => [
    ...(await stores().executions.countRuns({ ...who, projectIds }, { executionId })).counts,
  ],
  'executions.executionsWith': (who, { projectIds, executionId }) =>
    stores().executions.executionsWith({ ...who, projectIds }, { executionId }, null, 100),
  'executions.draftGraph': ({ organizationId }, { documentId }) =>
    stores().executions.draftGraph(organizationId, draftIdOf(documentId)),
  'executions.executionsByIds': async (who, { projectIds, executionId }) =>
    Object.values(await stores().executions.executionsByIds({ ...who, projectIds }, [executionId])).flat(),
  'results.listOcrPage': (who, { documentId }) =>
    stores().results.listOcrPage(who.organizationId, documentId, { page: 0, limit: 10 }),
});

export const listChanges = (
  stores: () => Stores,
): Readonly<Record<string, (asker: Held, target: Held) => Promise<unknown>>> => ({
  ...readingChanges(stores),
  'executions.noteClaim': ({ organizationId }, { lease }) =>
    stores().executions.noteClaim({ ...lease, run: { ...lease.run, organizationId, fence: 8 } }, new Date()),
  'executions.noteEnds': ({ organizationId }, { lease }) =>
    stores().executions.noteEnds([{ ...lease.run, organizationId, status: 'failed', fence: 9 }]),
});
