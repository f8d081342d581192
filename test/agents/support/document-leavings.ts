import type { Collections } from '#src/stores/collections.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { pictureKey } from '#src/domain/documents/object-key.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { newId } from '#src/domain/ids.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { Stores } from '#test/support/database.ts';
import { documentRecord, executionRecord, realtimeEvent } from '#test/support/records.ts';
import type { SearchRecord } from '#src/stores/search/rows/row.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** Stands in everything that was read from the document. */
export const secret = 'Aubergine-4711';

export interface Leavings {
  readonly stores: Stores;
  readonly objects: ObjectStore;
}

const usage = { inputTokens: 1, outputTokens: 1, ms: 1 } as never;

export function searchRecordOf({ _id, organizationId, projectId, objectKey }: DocumentRecord): SearchRecord {
  return {
    documentId: _id,
    organizationId,
    projectId,
    apiKeyId: null,
    visibility: 'private',
    objectKey,
    createdAt: new Date(),
    title: secret,
    description: secret,
    ocrText: secret,
    segmentationText: secret,
    identifiers: [secret.toLowerCase()],
    embeddings: {},
  };
}

function stepOf(run: RunRecord): StepRecord {
  return {
    _id: newId('step'),
    fence: run.fence,
    nodeId: 'ocr',
    type: 'ocr',
    attempt: 1,
    status: 'succeeded',
    startedAt: new Date(),
    finishedAt: new Date(),
    ms: 1,
    inputPreview: secret,
    outputPreview: secret,
    usage: null,
    error: null,
  };
}

/** Rows and objects that a run makes of its document, written by a worker that does not know of the deletion. */
export async function leaveResults({ stores }: Leavings, document: DocumentRecord, run: RunRecord): Promise<void> {
  const { _id: documentId, organizationId, projectId } = document;
  const origin = { organizationId, projectId, documentId, runId: run._id, nodeId: 'node' };
  const modelLabel = 'test';
  await stores.results.saveOcr(origin, {
    modelLabel,
    text: secret,
    avgConfidence: 90,
    result: { engine: 'test', language: 'eng', pages: [] },
  });
  const value = { title: secret, description: secret } as never;
  await stores.results.saveDescription(origin, { modelLabel, value, usage });
  for (const kind of ['text', 'image'] as const)
    await stores.results.saveEmbedding(origin, { kind, modelLabel, vector: new Float32Array([1, 2]) });
  await stores.results.saveSegmentation(origin, {
    modelLabel,
    prompt: secret,
    page: 0,
    segments: [],
    unsupportedPrompt: false,
    derivedDocumentId: null,
  });
  await stores.search.upsert(searchRecordOf(document));
  stores.nodeCache.put({ organizationId, projectId, documentId }, `key-${run._id}`, {
    update: { text: secret },
    modelLabel: null,
    usage: null,
    runId: run._id,
  });
  await stores.nodeCache.idle();
  // One step in the run itself, one beside it.
  const buckets = new Map([0, 1].map((number) => [number, [stepOf(run)]]));
  await stores.steps.save({ run, buckets, further: 1 });
  await stores.events.append([
    realtimeEvent(organizationId, {
      dedupeId: `description.upserted:${newId('event')}`,
      type: 'description.upserted',
      projectId,
      documentId,
      executionId: run.executionId,
      runId: run._id,
      data: { nodeId: 'node', title: secret, description: secret },
    }),
    realtimeEvent(organizationId, {
      dedupeId: `workflow.emitted:${newId('event')}`,
      type: 'workflow.emitted',
      projectId,
      documentId,
      executionId: run.executionId,
      runId: run._id,
      data: { nodeId: 'node', event: 'read', data: { text: secret } },
    }),
  ]);
}

async function addRun(
  { stores }: Leavings,
  collections: Collections,
  document: DocumentRecord,
  more: Partial<RunRecord>,
) {
  const { organizationId, projectId, _id } = document;
  const execution = executionRecord({ organizationId, projectId, documentIds: [_id] });
  const [run] = newRuns(execution);
  if (run === undefined) throw new Error('an execution without a run');
  await stores.executions.create(execution, () => [run]);
  await collections.runs.updateOne({ _id: run._id }, { $set: more });
  return { ...run, ...more };
}

/** A document of the tenant, or a new one's, with something of it in every place there is: two runs, one of them not ended. */
export async function addDocument(
  places: Leavings,
  collections: Collections,
  more: Partial<DocumentRecord> = {},
): Promise<{ document: DocumentRecord; ended: RunRecord; open: RunRecord }> {
  const { stores, objects } = places;
  const record = documentRecord({ pages: 2, ...more });
  const { etag } = await objects.put(record.objectKey, Buffer.from(`${secret} ${record._id}`), 'image/png');
  const document = { ...record, etag };
  const { organizationId, projectId, _id: documentId } = document;
  await stores.documents.insert(document);
  await stores.uploads.insert({
    _id: document.objectKey,
    documentId,
    family: 'service',
    apiKeyId: null,
    organizationId,
    projectId,
    contentType: 'image/png',
    sizeBytes: 1,
    visibility: 'private',
    createdAt: new Date(),
    forgetAt: new Date(Date.now() + 86_400_000),
  });
  const ended = await addRun(places, collections, document, {
    status: 'succeeded',
    startedAt: new Date(),
    finishedAt: new Date(),
    outputs: { text: secret },
    answers: [{ path: 'a', answer: secret, by: 'somebody', at: new Date() }],
  });
  await collections.runs.updateOne({ _id: ended._id }, { $unset: { queuedAt: true } });
  const open = await addRun(places, collections, document, {});
  await leaveResults(places, document, ended);
  const pictures = [
    pictureKey(document, { kind: 'thumbnail', side: 320 }),
    pictureKey(document, { kind: 'page', page: 1, width: 400, rotate: 90 }),
  ];
  for (const key of pictures) await objects.put(key, Buffer.from(`${secret} ${key}`), 'image/webp');
  return { document, ended, open };
}
