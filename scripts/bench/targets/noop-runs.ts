/** The whole service with a workflow of no-op nodes, and LangGraph alone beside it: both in this process, never at once. */
import { rawGraph } from '#scripts/bench/peers/raw-graph.ts';
import { inLanes } from '#scripts/bench/processes/http-send.ts';
import { serve } from '#scripts/bench/processes/serve.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';
import { noopCatalog, noopWorkflow } from '#scripts/bench/targets/noop-workflow.ts';
import { startHarness } from '#scripts/bench/targets/run-harness.ts';

export interface RunsJob {
  readonly count: number;
  readonly atOnce: number;
}

export interface RunsResult {
  readonly elapsedMs: number;
  readonly latenciesMs: Float64Array;
}

/** Address and credentials of a client that starts runs over HTTP. */
export interface Whereabouts {
  readonly api: string;
  readonly serviceKey: string;
  readonly workflowId: string;
  readonly documentId: string;
}

/** After a full collection. */
export interface Memory {
  readonly rssBytes: number;
  readonly heapBytes: number;
}

const { app, addresses, seeded, add, runToEnd } = await startHarness(noopCatalog);
const document = sampleDocument(seeded, 0);
await app.deps.documents.insert(document);
const workflowIds = new Map<number, string>();
async function workflowOf(steps: number): Promise<string> {
  const workflowId = workflowIds.get(steps) ?? (await add(noopWorkflow(steps)));
  workflowIds.set(steps, workflowId);
  return workflowId;
}
const five = await workflowOf(5);

let threads = 0;
function timed({ count, atOnce }: RunsJob, run: () => Promise<unknown>): Promise<RunsResult> {
  return inLanes(count, atOnce, async () => void (await run()));
}

async function raw(job: RunsJob & { readonly steps?: number }): Promise<RunsResult> {
  const graph = rawGraph(job.steps ?? 5);
  const before = threads;
  const result = await timed(job, () => graph.run(`thread-${(threads += 1)}`));
  for (let thread = before + 1; thread <= threads; thread += 1) await graph.forget(`thread-${thread}`);
  return result;
}

serve({
  ours: (job: RunsJob) => timed(job, () => runToEnd(five, [document._id])),
  raw,
  /** Runs of as many no-op nodes in a row. */
  async chain({ steps, ...job }: RunsJob & { readonly steps: number }) {
    const workflowId = await workflowOf(steps);
    return timed(job, () => runToEnd(workflowId, [document._id]));
  },
  /** Settles when what a run leaves behind (events, checkpoints) is cleared away. */
  idle: () => app.idle(),
  memory(): Memory {
    // Only the row on memory starts this process with --expose-gc.
    for (let time = 0; time < 5; time += 1) globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    return { rssBytes: rss, heapBytes: heapUsed };
  },
  where: (): Whereabouts => ({
    api: addresses.api,
    serviceKey: seeded.serviceKey,
    workflowId: five,
    documentId: document._id,
  }),
});
