/** The whole service with a workflow of no-op nodes, and LangGraph alone beside it: both in this process, never at once. */
import { loadConfig } from '#src/config/config.ts';
import { compose } from '#src/compose.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { Authenticator } from '#src/auth/authenticate.ts';
import { call } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { runWorkflow } from '#tools/runs/run-workflow.ts';
import { seed } from '#scripts/cli/seed-data.ts';
import { rawGraph } from '#scripts/bench/peers/raw-graph.ts';
import { inLanes } from '#scripts/bench/processes/http-send.ts';
import { serve } from '#scripts/bench/processes/serve.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';
import { addNoopWorkflow, noopCatalog } from '#scripts/bench/targets/noop-workflow.ts';

export interface RunsJob {
  readonly count: number;
  readonly atOnce: number;
}

export interface RunsResult {
  readonly elapsedMs: number;
  readonly latenciesMs: Float64Array;
}

/** What a client needs to ask for a run over HTTP. */
export interface Whereabouts {
  readonly api: string;
  readonly serviceKey: string;
  readonly workflowId: string;
  readonly documentId: string;
}

const config = loadConfig(process.env);
const app = await compose(config, { catalog: noopCatalog, logger: createPinoLogger('warn') });
const addresses = await app.start();
const { deps } = app;
const seeded = await seed(app, config);
const workflowId = await addNoopWorkflow(app, seeded);
const document = sampleDocument(seeded, 0);
await deps.documents.insert(document);
const principal = await new Authenticator(deps.apiKeys, app.logger).byKey(seeded.serviceKey, 'service-key');
const ctx: ToolContext = {
  principal,
  requestId: 'req_bench',
  surface: 'rest',
  signal: new AbortController().signal,
  deps,
  outcome: {},
};

/** Ends of runs as the database has them: the store's own answer that the run is over, which comes after the durable write. */
const ended = new Map<string, PromiseWithResolvers<void>>();
function endOf(runId: string): PromiseWithResolvers<void> {
  const known = ended.get(runId) ?? Promise.withResolvers<void>();
  ended.set(runId, known);
  return known;
}
const finish = deps.executions.finish.bind(deps.executions);
Object.assign(deps.executions, {
  async finish(...args: Parameters<typeof finish>) {
    const mine = await finish(...args);
    const [lease, { status }] = args;
    if (status === 'succeeded') endOf(lease.run._id).resolve();
    else endOf(lease.run._id).reject(new Error(`a run ended as ${status}`));
    return mine;
  },
});

async function runOurs(): Promise<void> {
  const { runs } = await call(runWorkflow, ctx, { workflowId, documentIds: [document._id] });
  for (const { runId } of runs) {
    await endOf(runId).promise;
    ended.delete(runId);
  }
}

const raw = rawGraph();
let threads = 0;
async function runRaw(): Promise<void> {
  await raw.run(`thread-${(threads += 1)}`);
}

function timed({ count, atOnce }: RunsJob, run: () => Promise<void>): Promise<RunsResult> {
  return inLanes(count, atOnce, run);
}

serve({
  ours: (job: RunsJob) => timed(job, runOurs),
  async raw(job: RunsJob) {
    const before = threads;
    const result = await timed(job, runRaw);
    for (let thread = before + 1; thread <= threads; thread += 1) await raw.forget(`thread-${thread}`);
    return result;
  },
  /** Settles when what a run leaves behind (events, checkpoints) is cleared away. */
  idle: () => app.idle(),
  where: (): Whereabouts => ({
    api: addresses.api,
    serviceKey: seeded.serviceKey,
    workflowId,
    documentId: document._id,
  }),
});

process.once('SIGTERM', () => void app[Symbol.asyncDispose]().then(() => process.exit()));
