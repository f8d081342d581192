import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Experiment as ExperimentShape } from '#src/contracts/experiments/experiment.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { tools } from '#tools/index.ts';
import { contextOf } from '#mcp/caller.ts';
import { presentOutput } from '#mcp/present/present.ts';
import { orUnknown } from '#mcp/tasks/or-unknown.ts';
import type { Task, TaskMethod, Tasks } from '#mcp/tasks/tasks.ts';

type Experiment = z.output<typeof ExperimentShape>;

const pollIntervalMs = 2_000;
/** Poll interval for changes by other processes, which do not pass this process's bus. */
const lookAgainMs = 5_000;

/** Returns the id of the running experiment in a result of `run_experiment` or `improve_workflow`. */
export function unfinishedExperiment({ structuredContent, isError }: CallToolResult): string | null {
  if (isError === true || structuredContent === undefined) return null;
  const { experiment } = structuredContent as { readonly experiment: Experiment | null };
  return experiment?.status === 'running' ? experiment.experimentId : null;
}

/** An experiment without a verdict is `completed`, too: its sentence says why. SEP-2663 reserves `failed` for protocol errors. */
function experimentAsTask(experiment: Experiment): Task {
  const { experimentId: taskId, status, runs, items, createdAt, finishedAt } = experiment;
  const facts = {
    taskId,
    statusMessage: `${status}: ${runs.done} of ${runs.planned} runs done, ${items.done} of ${items.total} documents.`,
    createdAt: new Date(createdAt),
    lastUpdatedAt: new Date(finishedAt ?? createdAt),
    // Experiments do not expire.
    ttlMs: null,
    pollIntervalMs,
  };
  if (status === 'running') return { ...facts, status: 'working' };
  if (status === 'canceled') return { ...facts, status: 'cancelled' };
  return { ...facts, status: 'completed', result: presentOutput(tools.runExperiment, {}, { experiment, plan: null }) };
}

const standing: Readonly<Record<TaskMethod, string>> = {
  'tasks/get': 'get_experiment',
  'tasks/update': 'get_experiment',
  'tasks/cancel': 'cancel_experiment',
};

/** Experiments as tasks. `taskId` is the experiment's id. An experiment asks nothing, so that answers to it are ignored. */
export function experimentTasks(deps: ToolDeps): Tasks {
  const read = (experimentId: string, ctx: ToolContext): Promise<Experiment | null> =>
    orUnknown(callTool(tools.getExperiment, ctx, { experimentId }));
  return {
    standsFor: (method) => standing[method],
    async get(taskId, { caller, signal }) {
      const found = await read(taskId, contextOf(deps, caller, signal));
      return found === null ? null : experimentAsTask(found);
    },
    update: async (taskId, _responses, { caller, signal }) =>
      (await read(taskId, contextOf(deps, caller, signal))) !== null,
    async cancel(experimentId, { caller, signal }) {
      const ctx = contextOf(deps, caller, signal);
      return (await orUnknown(callTool(tools.cancelExperiment, ctx, { experimentId }))) !== null;
    },
    watch(taskId, { caller }, changed) {
      const stop = deps.events.subscribe(caller.principal.organizationId, ({ type, data }) => {
        if (type === 'experiment.changed' && data?.['experimentId'] === taskId) changed();
      });
      const again = setInterval(changed, lookAgainMs).unref();
      return () => {
        clearInterval(again);
        stop();
      };
    },
  };
}
