import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { addCodeWorkflow } from '#app/agents/publish-code-workflows.ts';
import { Authenticator } from '#src/auth/authenticate.ts';
import { compose, type App } from '#app/compose.ts';
import type { Addresses } from '#app/compose/addresses.ts';
import { loadConfig } from '#src/config/config.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { Lease, RunEnd } from '#src/stores/run-queue.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { runWorkflow } from '#tools/runs/run-workflow.ts';
import { seed, type Seed } from '#app/compose/seed.ts';

export interface RunHarness {
  readonly app: App;
  readonly addresses: Addresses;
  readonly seeded: Seed;
  /** Stores the workflow as published; answers its id. */
  readonly add: (workflow: CodeWorkflow) => Promise<string>;
  /** Asks for the runs, and settles when the store has answered that all of them ended well; rejects when one did not. */
  readonly runToEnd: (
    workflowId: string,
    documentIds: readonly string[],
  ) => Promise<{ readonly runIds: readonly string[] }>;
}

/** The whole service in this process, as its environment says, with a way to run workflows and to know when they have ended. */
export async function startHarness(catalog?: Catalog): Promise<RunHarness> {
  const config = loadConfig(process.env);
  const app = await compose(config, { logger: createPinoLogger('warn'), ...(catalog && { catalog }) });
  const addresses = await app.start();
  const { deps } = app;
  const seeded = await seed(app, config);
  const ctx: ToolContext = {
    principal: await new Authenticator(deps.apiKeys, app.logger).byKey(seeded.serviceKey, 'service-key'),
    requestId: 'req_bench',
    surface: 'rest',
    signal: new AbortController().signal,
    deps,
    outcome: {},
  };

  // Ends of runs as the database has them: the store's own answer that the run is over, which comes after the durable write.
  const ended = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (runId: string): PromiseWithResolvers<void> => {
    const known = ended.get(runId) ?? Promise.withResolvers<void>();
    ended.set(runId, known);
    return known;
  };
  const told = ({ run }: Lease, { status, error }: RunEnd): void => {
    if (status === 'succeeded') endOf(run._id).resolve();
    else endOf(run._id).reject(new Error(`a run ended as ${status}: ${error?.code} ${error?.message}`));
  };
  const store = { ...deps.executions };
  Object.assign(deps.executions, {
    async finish(...args: Parameters<typeof store.finish>) {
      const mine = await store.finish(...args);
      told(args[0], args[1]);
      return mine;
    },
    async finishAll(...args: Parameters<typeof store.finishAll>) {
      const outcome = await store.finishAll(...args);
      for (const { lease, end } of args[0].slice(0, outcome.finished)) told(lease, end);
      return outcome;
    },
  });
  process.once('SIGTERM', () => void app[Symbol.asyncDispose]().then(() => process.exit()));
  return {
    app,
    addresses,
    seeded,
    add: async (workflow) => (await addCodeWorkflow(deps, workflow, seeded))._id,
    async runToEnd(workflowId, documentIds) {
      const { runs } = await callTool(runWorkflow, ctx, { workflowId, documentIds: [...documentIds] });
      const runIds = runs.map(({ runId }) => runId);
      for (const runId of runIds) {
        await endOf(runId).promise;
        ended.delete(runId);
      }
      return { runIds };
    },
  };
}
