import { authorsQuestion, briefQuestion } from '#src/domain/runs/brief-question.ts';
import type { z } from 'zod';
import type { Execution, ExecutionRow, RunDetail, RunList, RunSummary } from '#src/contracts/resources/execution.ts';
import type { PrincipalKind } from '#src/domain/access/principal.ts';
import {
  countRuns,
  draftOf,
  executionStatus,
  terminalStatuses,
  type ExecutionRecord,
  type OpenQuestion,
  type RunCounts,
  type RunReceipt,
  type RunRecord,
} from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import type { RunGroup } from '#src/stores/runs/run-lists.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** Limit of a question in lists of runs, in characters. */
const promptStart = 500;

const iso = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

const openQuestions = (run: RunRecord): readonly OpenQuestion[] | undefined =>
  run.status === 'waiting' ? run.waitingFor : undefined;

export function presentRun(run: RunRecord): z.input<typeof RunSummary> {
  const questions = openQuestions(run)?.map((question) => {
    const { path, prompt } = question;
    return { path, promptText: prompt.slice(0, promptStart), ...authorsQuestion(question, promptStart) };
  });
  return { ...presentEnd(run), ...(questions === undefined ? {} : { waitingFor: questions }) };
}

function presentEnd(run: RunRecord) {
  return {
    runId: run._id,
    documentId: run.documentId,
    status: run.status,
    ...(run.error === null ? {} : { error: run.error }),
    ...(run.degraded === undefined ? {} : { degraded: [...run.degraded] }),
    // A run that ended while it read keeps how far it was.
    ...(run.reading && !terminalStatuses.has(run.status) && { reading: { ...run.reading } }),
  };
}

export function presentRunRow(run: RunRecord): z.input<typeof RunList>['runs'][number] {
  const questions = openQuestions(run)?.map(briefQuestion);
  return {
    ...presentEnd(run),
    ...(questions === undefined ? {} : { waitingFor: questions }),
    executionId: run.executionId,
    workflowId: run.workflowId,
    version: run.version,
    ...draftOf(run),
    createdAt: run.createdAt.toISOString(),
    finishedAt: iso(run.finishedAt),
  };
}

/** Earliest or latest of the known times; null without any. */
function extreme(dates: readonly (Date | null | undefined)[], pick: (...times: number[]) => number): string | null {
  const times = dates.flatMap((date) => (date instanceof Date ? [date.getTime()] : []));
  return times.length === 0 ? null : new Date(pick(...times)).toISOString();
}

/** Path under which the reader's credential can read an execution. */
const addresses: Readonly<Record<PrincipalKind, string>> = {
  'service-key': '/api/service/workflow-executions',
  'workflow-key': '/api/service/workflow-executions',
  session: '/api/dashboard/executions',
  // The program acts with the routes of its person.
  oauth: '/api/dashboard/executions',
};

interface RunTotals {
  readonly counts: RunCounts;
  readonly first: Pick<RunRecord, 'version' | 'graphHash'> | undefined;
  readonly startedAt: readonly (Date | null | undefined)[];
  readonly finishedAt: readonly (Date | null | undefined)[];
}

/** Derives the status from the runs, which are the source of truth. */
function presentTotals(
  execution: ExecutionRecord,
  { counts, first, startedAt, finishedAt }: RunTotals,
  reader: ToolContext<'thumbnails'>,
): z.input<typeof ExecutionRow> {
  // After a crash between the two writes there are fewer runs than documents: the missing runs count as queued.
  const missing = Math.max(0, execution.documentIds.length - counts.total);
  const whole = { ...counts, total: counts.total + missing, queued: counts.queued + missing };
  const status = executionStatus(whole);
  return {
    id: execution._id,
    workflowId: execution.workflowId,
    workflowName: execution.workflowName,
    version: execution.version ?? first?.version ?? null,
    graphHash: execution.graphHash ?? first?.graphHash ?? null,
    ...draftOf(execution),
    status,
    counts: {
      total: whole.total,
      queued: whole.queued,
      running: whole.running,
      waiting: whole.waiting,
      succeeded: whole.succeeded,
      failed: whole.failed,
      canceled: whole.canceled,
      timedOut: whole.timed_out,
    },
    ...(execution.replayOf === undefined ? {} : { replayOf: execution.replayOf }),
    createdAt: execution.createdAt.toISOString(),
    startedAt: extreme(startedAt, Math.min),
    finishedAt: terminalStatuses.has(status) ? extreme(finishedAt, Math.max) : null,
    links: {
      self: `${addresses[reader.principal.kind]}/${execution._id}`,
      ...reader.deps.thumbnails.linked(`/runs?execution=${execution._id}`).links,
    },
  };
}

/** An execution with its runs, in the order of the documents. */
export function presentExecution(
  execution: ExecutionRecord,
  runs: readonly RunRecord[],
  reader: ToolContext<'thumbnails'>,
): z.input<typeof Execution> {
  const place = new Map(execution.documentIds.map((id, index) => [id, index]));
  const ordered = runs.toSorted((a, b) => (place.get(a.documentId) ?? 0) - (place.get(b.documentId) ?? 0));
  const totals = {
    counts: countRuns(ordered),
    first: ordered[0],
    startedAt: ordered.map((run) => run.startedAt),
    finishedAt: ordered.map((run) => run.finishedAt),
  };
  return { ...presentTotals(execution, totals, reader), runs: ordered.map(presentRun) };
}

/** An execution of a list, from the numbers of its runs by status. */
export function presentExecutionRow(
  execution: ExecutionRecord,
  groups: readonly RunGroup[],
  reader: ToolContext<'thumbnails'>,
): z.input<typeof ExecutionRow> {
  const counts = { ...countRuns([]), total: groups.reduce((sum, { count }) => sum + count, 0) };
  for (const { _id, count } of groups) counts[_id.status] = count;
  const totals = {
    counts,
    first: groups.find(({ version }) => version !== null),
    startedAt: groups.map((group) => group.startedAt),
    finishedAt: groups.map((group) => group.finishedAt),
  };
  return presentTotals(execution, totals, reader);
}

function presentStep(step: StepRecord, ended: boolean): z.input<typeof RunDetail>['steps'][number] {
  // No worker closes the steps of a run that was canceled while it waited.
  const over = ended && (step.status === 'running' || step.status === 'waiting');
  return {
    stepId: step._id,
    nodeId: step.nodeId,
    type: step.type,
    attempt: step.attempt,
    status: over ? 'canceled' : step.status,
    startedAt: step.startedAt.toISOString(),
    finishedAt: iso(step.finishedAt),
    ms: step.ms,
    ...(step.error !== null && {
      ...(typeof step.inputPreview === 'string' && { inputText: step.inputPreview }),
      ...(typeof step.requestPreview === 'string' && { requestText: step.requestPreview }),
      ...(typeof step.errorDataPreview === 'string' && { errorDataText: step.errorDataPreview }),
      ...(typeof step.errorStackPreview === 'string' && { errorStackText: step.errorStackPreview }),
    }),
    outputPreview: step.outputPreview,
    ...(typeof step.cachedFrom === 'string' ? { cachedFrom: step.cachedFrom } : {}),
    usage: step.usage,
    ...(step.toolCalls !== undefined && { toolCalls: [...step.toolCalls] }),
    error: step.error,
  };
}

function presentReceipt(receipt: RunReceipt | undefined): z.input<typeof RunDetail>['receipt'] {
  return receipt === undefined ? null : { ...receipt, steps: [...receipt.steps] };
}

export function presentRunDetail(
  run: RunRecord,
  steps: readonly StepRecord[],
  include: ReadonlySet<string>,
  receipt?: RunReceipt,
): z.input<typeof RunDetail> {
  const questions = openQuestions(run);
  return {
    ...presentEnd(run),
    ...(questions === undefined
      ? {}
      : {
          waitingFor: questions.map(({ path, prompt, data, answerSchema, askedAt, ...words }) => ({
            path,
            promptText: prompt,
            ...authorsQuestion(words),
            data,
            answerSchema: answerSchema === null ? null : { ...answerSchema },
            askedAt: askedAt.toISOString(),
          })),
        }),
    executionId: run.executionId,
    workflowId: run.workflowId,
    version: run.version,
    ...draftOf(run),
    ...(run.experiment !== undefined && { experimentId: run.experiment.experimentId }),
    graphHash: run.graphHash,
    attempts: run.attempts,
    queue: null,
    createdAt: run.createdAt.toISOString(),
    startedAt: iso(run.startedAt),
    finishedAt: iso(run.finishedAt),
    steps: steps.map((step) => presentStep(step, terminalStatuses.has(run.status))),
    ...(include.has('outputs') ? { outputs: run.outputs === undefined ? null : { ...run.outputs } } : {}),
    ...(include.has('receipt') ? { receipt: presentReceipt(receipt) } : {}),
  };
}
