import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createStepStore } from '#src/stores/steps.ts';

async function verifyDocument(stored: Collections, organizationId: string, documentId: string): Promise<string[]> {
  const about = { organizationId, documentId };
  const [document, runs, ocr, descriptions, embeddings, records] = await Promise.all([
    stored.documents.findOne({ _id: documentId, organizationId }),
    stored.runs.find(about).toArray(),
    stored.ocrResults.countDocuments(about),
    stored.descriptions.countDocuments(about),
    stored.embeddings.find(about).toArray(),
    stored.searchRecords.countDocuments({ _id: documentId, organizationId }),
  ]);
  const [run] = runs;
  const steps = run === undefined ? [] : await createStepStore(stored).listOf(run);
  const kinds = embeddings.map((row) => row.kind).toSorted();
  const events = run === undefined ? [] : await createEventLog(stored).read(organizationId, 0, 10_000, run);
  const completed = events.filter((event) => event.documentId === documentId && event.type === 'run.completed').length;
  const rules: [holds: boolean, otherwise: string][] = [
    [document !== null, 'was acknowledged and is not there'],
    [document?.pendingEvents.length === 0, 'still has events in its outbox'],
    [Boolean(document?.ocr && document.description), 'lacks its text or description'],
    [runs.length === 1, `has ${runs.length} runs`],
    [run?.status === 'succeeded', `has a run that ended as ${run?.status}: ${JSON.stringify(run?.error)}`],
    [run?.queuedAt === undefined && run?.beatAt === undefined, 'has a finished run that can be claimed'],
    [ocr === 1, `has ${ocr} OCR results`],
    [descriptions === 1, `has ${descriptions} descriptions`],
    [kinds.join() === 'image,text', `has the embeddings ${kinds.join()}`],
    [records === 1, `has ${records} search records`],
    [steps.every((step) => step.status !== 'running'), 'has a running step in a finished run'],
    [completed <= 1, `was told ${completed} times to be done`],
  ];
  return rules.filter(([holds]) => !holds).map(([, otherwise]) => `${documentId} ${otherwise}`);
}

/** Documents that are looked at together: each takes some ten queries, and a server bounds how many wait. */
const atOnce = 20;

/** Violations of durable execution in a database, one sentence each. Its organization has these documents only. */
export async function verifyStored(
  stored: Collections,
  organizationId: string,
  documentIds: readonly string[],
): Promise<string[]> {
  const violations: string[] = [];
  for (let at = 0; at < documentIds.length; at += atOnce) {
    const some = documentIds.slice(at, at + atOnce).map((id) => verifyDocument(stored, organizationId, id));
    violations.push(...(await Promise.all(some)).flat());
  }
  const total = await stored.documents.countDocuments({ organizationId });
  const unasked = total === documentIds.length ? [] : [`${documentIds.length} uploads made ${total} documents`];
  return [...unasked, ...violations];
}

/** Violations of durable execution in a data folder, one sentence each. No process may use the folder. */
export async function verifyFolder(
  dataDir: string,
  organizationId: string,
  documentIds: readonly string[],
): Promise<string[]> {
  const engine = await openEmbeddedDatabase({ dataDir });
  const database = connectDatabase(engine.uri);
  try {
    return await verifyStored(collectionsOf(database.db), organizationId, documentIds);
  } finally {
    await database.close();
    await engine.close();
  }
}
