import { afterAll, beforeAll, expect } from 'vitest';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { graphHash } from '#graphs/hash.ts';
import { LostAnnouncer } from '#app/agents/announce/lost-announcer.ts';
import { documentChanged, runCompleted, workflowChanged } from '#src/domain/events/realtime.ts';
import { newId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { changesByPage } from '#src/domain/operators/correct-page.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { WorkflowDraftRecord, WorkflowRecord, WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import { documentRecord, executionRecord, freshTenant, pageOf } from '#test/support/records.ts';
import { storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { verifies } from '#test/support/verifies.ts';

let database: TestDatabase;
let stores: Stores;
beforeAll(async () => {
  database = await testDatabase();
  stores = storesOf(database.client);
});
afterAll(() => database.close());

/** Sweeps of three processes at once, at a time after now. */
function sweeps() {
  const announcers = [1, 2, 3].map(() => new LostAnnouncer(storesOf(database.connect().client)));
  const begun = Date.now();
  return (ms: number) => Promise.all(announcers.map((one) => one.sweep(new Date(begun + ms))));
}

const eventsOf = (organizationId: string) => storesOf(database.client).events.read(organizationId, 0, 100);

async function storedDocument(more: Partial<DocumentRecord> = {}): Promise<DocumentRecord> {
  const document = documentRecord(more);
  await stores.documents.insert(document);
  return document;
}

verifies('events.lost.names', async () => {
  const { documents, events } = stores;
  const { organizationId, projectIds } = freshTenant();
  const place = { organizationId, projectId: projectIds[0] };
  const [told, lost] = [await storedDocument(place), await storedDocument(place)];
  const change = (id: string, givenTitle: string) =>
    documents.change({ organizationId, projectIds }, id, { givenTitle });
  const first = await change(told._id, 'Told');
  if (first?.named === undefined) throw new Error('the change has no event');
  await events.append([documentChanged(first, first.named)]);
  await change(lost._id, 'Lost');
  const sweepAt = sweeps();
  await sweepAt(1_000);
  expect(await eventsOf(organizationId), 'too young: its process is about to announce it').toHaveLength(1);
  await sweepAt(25_000);
  await sweepAt(50_000);
  expect(await eventsOf(organizationId)).toMatchObject([
    { type: 'document.changed', documentId: told._id, data: { title: 'Told' } },
    { type: 'document.changed', documentId: lost._id, data: { title: 'Lost' } },
  ]);
});

verifies('events.lost.corrections', async () => {
  const { corrections, results } = stores;
  const { organizationId, projectIds } = freshTenant();
  const place = { organizationId, projectId: projectIds[0] };
  const [read, described] = [await storedDocument(place), await storedDocument(place)];
  const origin = { ...place, documentId: read._id, runId: newId('run'), nodeId: 'ocr' };
  const result = { engine: 'e', language: 'eng', pages: [pageOf('wrong')] };
  const { ocrResultId } = await results.saveOcr(origin, { modelLabel: 'm', text: 'wrong', avgConfidence: 1, result });
  const changes = changesByPage([{ page: 0, line: 0, text: 'corrected' }]);
  const at = new Date();
  const text = await corrections.correctOcr(read, ocrResultId, changes, { by: 'person', author: 'usr_a', at });
  const later = new Date(at.getTime() + 1);
  const by = { by: 'agent', author: 'key_a', at: later } as const;
  const description = await corrections.correctDescription(described, null, 'A letter.', by);
  if (typeof text === 'symbol' || typeof description === 'symbol') throw new Error('the text was replaced');
  const sweepAt = sweeps();
  await sweepAt(25_000);
  await sweepAt(50_000);
  expect(await eventsOf(organizationId)).toMatchObject([
    {
      dedupeId: `ocr.created:${text.ocrResultId}`,
      documentId: read._id,
      data: { characters: 'corrected'.length, source: 'person', author: 'usr_a' },
    },
    {
      dedupeId: `description.upserted:${description.descriptionId}`,
      documentId: described._id,
      data: { description: 'A letter.', source: 'agent', author: 'key_a' },
    },
  ]);
});

function workflowIn(organizationId: string, projectId: string) {
  const _id = newId('workflow');
  const at = new Date();
  const { graph } = documentIntake;
  const its = { graph, graphHash: graphHash(graph), organizationId };
  const by = { author: 'usr_a', surface: 'rest', note: null, at } as const;
  const nothing = { codeName: null, publishedVersion: null, publishedHash: null };
  const named = { name: 'One', description: '', source: 'stored' } as const;
  const row = { _id, schemaVersion: 1, organizationId, projectId, ...named, ...nothing } as const;
  const workflow: WorkflowRecord = { ...row, createdAt: at, updatedAt: at };
  const draftOf = (revision: number): WorkflowDraftRecord => ({
    ...its,
    _id,
    projectId,
    revision,
    lastEdit: { ...by, revision, operations: [] },
  });
  const published: WorkflowVersionRecord = {
    ...its,
    ...by,
    author: 'usr_b',
    _id: `${_id}@1`,
    workflowId: _id,
    version: 1,
    fromRevision: 1,
  };
  return { workflow, draftOf, published };
}

verifies('events.lost.workflows', async () => {
  const { workflows, events } = stores;
  const { organizationId, projectIds } = freshTenant();
  const [told, edited, published] = [1, 2, 3].map(() => workflowIn(organizationId, projectIds[0]));
  if (told === undefined || edited === undefined || published === undefined) throw new Error('no workflows');
  for (const { workflow, draftOf } of [told, edited, published])
    await workflows.insert(workflow, { draft: draftOf(1) });
  const at = new Date();
  const created = { revision: 1, publishedVersion: null, by: 'usr_a' };
  await events.append([told, edited, published].map(({ workflow }) => workflowChanged(workflow, created, at)));
  expect(await workflows.saveDraft(edited.draftOf(2))).toBe(true);
  expect(await workflows.publish(published.workflow, published.published)).toBe(true);
  const sweepAt = sweeps();
  await sweepAt(25_000);
  await sweepAt(50_000);
  const [, , , ...lost] = await eventsOf(organizationId);
  expect(lost).toHaveLength(2);
  expect(lost).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'workflow.changed',
        data: { workflowId: edited.workflow._id, revision: 2, publishedVersion: null, by: 'usr_a' },
      }),
      expect.objectContaining({
        type: 'workflow.changed',
        data: { workflowId: published.workflow._id, revision: 1, publishedVersion: 1, by: 'usr_b', toolsChanged: true },
      }),
    ]),
  );
});

verifies('events.lost.created', async () => {
  const { executions } = stores;
  const { organizationId } = freshTenant();
  await executions.create(executionRecord({ organizationId, documentIds: [newId('document')] }), newRuns);
  const lease = (await executions.claim('killed', new Date())) as Lease;
  const at = new Date();
  await executions.finish(lease, { status: 'succeeded', error: null, outputs: {} } as never, at);
  await stores.events.append([runCompleted(lease.run, 'succeeded', at)]);
  const sweepAt = sweeps();
  await sweepAt(25_000);
  await sweepAt(50_000);
  const ids = (await eventsOf(organizationId)).map(({ dedupeId }) => dedupeId);
  expect(ids).toEqual([`run.completed:${lease.run._id}`, `run.created:${lease.run._id}`]);
});
