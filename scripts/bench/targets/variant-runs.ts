/** The whole service with the default pipeline over real pages, and a variant of it that changes its last node. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import { graphHash } from '#graphs/hash.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { serve } from '#scripts/bench/processes/serve.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';
import { startHarness } from '#scripts/bench/targets/run-harness.ts';

export interface VariantResult {
  readonly elapsedMs: number;
  /** Sum over all runs. */
  readonly ran: number;
  readonly takenFromCache: number;
}

/** Small pages, each a document of its own however often it is used. */
const pages = [
  ['note.gif', 'image/gif'],
  ['receipt.jpg', 'image/jpeg'],
] as const;

const { app, seeded, add, runToEnd } = await startHarness();
const { deps } = app;

async function addDocument(index: number): Promise<string> {
  const [name, contentType] = pages[index % pages.length] ?? pages[0];
  const bytes = await readFile(new URL(`../../../test/fixtures/${name}`, import.meta.url));
  const sample = sampleDocument(seeded, index);
  const { etag } = await deps.objects.put(sample.objectKey, bytes, contentType);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const more = { etag, sha256, contentType, sizeBytes: bytes.length, ocr: null, description: null };
  const document: DocumentRecord = { ...sample, ...more };
  await deps.documents.insert(document);
  return document._id;
}

/** The default pipeline with another last node: it may take one millisecond less for each variant. */
function variantOf(number: number): CodeWorkflow {
  const { index, ...others } = documentIntake.graph.nodes;
  if (index === undefined) throw new Error('the default pipeline has no node "index"');
  const timeoutMs = 60_000 - number;
  const graph = { ...documentIntake.graph, nodes: { ...others, index: { ...index, timeoutMs } } };
  return { id: `wf_bench_variant_${number}`, graph, graphHash: graphHash(graph) };
}

async function timed(workflowId: string, documentIds: readonly string[]): Promise<VariantResult> {
  const started = performance.now();
  const { runIds } = await runToEnd(workflowId, documentIds);
  const elapsedMs = performance.now() - started;
  await app.idle();
  const { organizationId, projectId } = seeded;
  const stepsOf = async (runId: string) => {
    const run = await deps.executions.findRun({ organizationId, projectIds: [projectId] }, runId);
    return run === null ? [] : deps.steps.listOf(run);
  };
  const steps = (await Promise.all(runIds.map(stepsOf))).flat();
  const taken = steps.filter(({ cachedFrom }) => typeof cachedFrom === 'string').length;
  return { elapsedMs, ran: steps.length - taken, takenFromCache: taken };
}

let documents: readonly string[] = [];
serve({
  /** The first run, over as many new documents. */
  async first(count: number) {
    documents = await Promise.all(Array.from({ length: count }, (_, index) => addDocument(index)));
    return timed(await add(documentIntake), documents);
  },
  /** A variant, over the same documents. */
  variant: async (number: number) => timed(await add(variantOf(number)), documents),
});
