import { createStepStore } from '#src/stores/steps.ts';
import type { Collections } from '#src/stores/collections.ts';
import type { Receiver } from '#scripts/chaos/receiver.ts';
import { webhooksOfRun } from '#scripts/chaos/effects-workflow.ts';

export interface Effects {
  readonly succeeded: number;
  readonly rows: number;
  readonly deliveries: number;
  readonly delivered: number;
  /** Webhooks that came more than once: what was under way when its worker died. */
  readonly repeated: number;
  readonly calls: number;
  /** Runs that more than one worker took. */
  readonly resumed: number;
  /** Promises broken, one sentence each. */
  readonly violations: readonly string[];
}

async function violationsOf(stored: Collections, executionId: string): Promise<string[]> {
  const runs = await stored.runs.find({ executionId }).toArray();
  const [run] = runs;
  if (run === undefined) return [`${executionId} has no run`];
  const runId = run._id;
  const [rows, steps, webhooks] = await Promise.all([
    stored.embeddings.countDocuments({ runId }),
    createStepStore(stored).listOf(run),
    stored.deliveries.find({ payload: { $regex: runId } }).toArray(),
  ]);
  const rules: [holds: boolean, otherwise: string][] = [
    [runs.length === 1, `has ${runs.length} runs`],
    [run.status === 'succeeded', `ended as ${run.status}: ${JSON.stringify(run.error)}`],
    [run.queuedAt === undefined && run.beatAt === undefined, 'can be claimed though it is over'],
    [run.receipt !== undefined, 'has no receipt'],
    [rows === 1, `has ${rows} result rows`],
    [webhooks.length === webhooksOfRun, `stored ${webhooks.length} webhooks`],
    [steps.every((step) => step.status !== 'running'), 'has a running step in a finished run'],
    [steps.every((step) => step.fence <= run.fence), 'has a step of a lease that never was'],
  ];
  return rules.filter(([holds]) => !holds).map(([, otherwise]) => `${executionId} ${otherwise}`);
}

/** Counts what the executions left, in the database and outside of it. */
export async function verifyExecutions(
  stored: Collections,
  receiver: Receiver,
  executionIds: readonly string[],
): Promise<Effects> {
  const violations: string[] = [];
  for (const id of executionIds) violations.push(...(await violationsOf(stored, id)));
  const ofThese = { executionId: { $in: [...executionIds] } };
  const deliveries = await stored.deliveries.find({}).toArray();
  const missing = deliveries.filter(({ _id }) => !receiver.webhooks.has(_id)).length;
  const unknown = [...receiver.webhooks.keys()].filter((id) => !deliveries.some(({ _id }) => _id === id)).length;
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  const expected = executionIds.length * (webhooksOfRun + 1);
  const executions = await stored.executions.countDocuments({ callbackUrl: { $exists: true } });
  const rules: [holds: boolean, otherwise: string][] = [
    [executions === executionIds.length, `${executionIds.length} requests made ${executions} executions`],
    [deliveries.length === expected, `${deliveries.length} webhooks are stored, not ${expected}`],
    [delivered === deliveries.length, `${deliveries.length - delivered} webhooks were not delivered`],
    [missing === 0, `${missing} stored webhooks never came`],
    [unknown === 0, `${unknown} webhooks came that nobody stored`],
    [receiver.calls.size === executionIds.length, `${receiver.calls.size} runs called outside`],
  ];
  violations.push(...rules.filter(([holds]) => !holds).map(([, otherwise]) => otherwise));
  return {
    succeeded: await stored.runs.countDocuments({ ...ofThese, status: 'succeeded' }),
    rows: await stored.embeddings.countDocuments({}),
    deliveries: deliveries.length,
    delivered,
    repeated: [...receiver.webhooks.values()].filter((times) => times > 1).length,
    calls: [...receiver.calls.values()].reduce((sum, times) => sum + times, 0),
    resumed: await stored.runs.countDocuments({ ...ofThese, fence: { $gt: 1 } }),
    violations,
  };
}
