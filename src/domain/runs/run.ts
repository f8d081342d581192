import type { Lane } from '#src/domain/runs/queue.ts';
import type { CellPlace } from '#src/domain/experiments/experiment.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import type { TraceContext } from '#src/domain/traces/trace-context.ts';
import type { ExecutionStatus, RunStatus } from '#src/contracts/lists/run-status.ts';

/** The draft that a run takes, or the node of it that the run tries. */
interface DraftPlace {
  /** Revision of the draft; null: a published version, of which one node is tried. */
  readonly revision: number | null;
  /** Node that is tried by itself; absent: the whole graph runs. */
  readonly nodeId?: string;
}

/** `whole`: false if `nodeId` is set. Retention finds runs by it. */
export interface DraftMark extends DraftPlace {
  readonly whole: boolean;
}

/** One workflow version on N documents. Status and times are derived from its runs. */
export interface ExecutionRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  readonly workflowId: string;
  /** Project of the workflow, if it differs from the run's; nested workflows are loaded from it. */
  readonly workflowProjectId?: string;
  readonly workflowName: string | null;
  readonly version: number | null;
  readonly graphHash: string | null;
  readonly source: 'upload' | 'service' | 'dashboard' | 'mcp' | 'experiment';
  readonly apiKeyId: string | null;
  /** User that queued it from the dashboard; absent in executions of older versions. */
  readonly userId?: string | null;
  readonly documentIds: readonly string[];
  readonly initialState: Readonly<Record<string, unknown>> | null;
  /** Repetitions by itself up to this one, of a degraded run; absent: a person or a program started it. */
  readonly mends?: number;
  /** With `mends`: creation of the first of these runs, which a person or a program started. */
  readonly baseAt?: Date;
  /** Execution that this one replays. */
  readonly replayOf?: string;
  /** URL of a signed webhook when all runs have ended. `callbackPending` is removed when the webhook is in the outbox. */
  readonly callbackUrl?: string;
  readonly callbackPending?: true;
  /** Place in an experiment, whose executions no list of executions shows. */
  readonly experiment?: CellPlace;
  /** The draft that it runs, with the graph as it was at the start: JSON text, since configs may have any names. */
  readonly draft?: DraftPlace & { readonly graph: string };
  /** Place in the trace of what started it; absent: nothing was traced. */
  readonly trace?: TraceContext;
  readonly createdAt: Date;
}

/** Open question of a waiting run. `path` is the node that asks. */
export interface OpenQuestion {
  readonly path: string;
  readonly prompt: string;
  /** Words of the author, with {1}, {2}, ... for the values of `inserted`. Absent in questions of older versions and of other nodes. */
  readonly words?: string;
  readonly inserted?: readonly string[];
  readonly data: unknown;
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
  readonly askedAt: Date;
}

export interface GivenAnswer {
  readonly path: string;
  readonly answer: unknown;
  readonly by: string;
  readonly at: Date;
}

/** One finished step of a receipt. `cachedFrom` is the run whose cached outcome was used. */
export interface ReceiptStep {
  readonly path: string;
  readonly node: string;
  readonly attempt: number;
  readonly status: 'succeeded' | 'failed' | 'continued' | 'canceled';
  readonly modelLabel: string | null;
  /** SHA-256 of the canonical JSON of its channel writes; null without writes. */
  readonly outputDigest: string | null;
  readonly cachedFrom: string | null;
  /** SHA-256 over the previous hash and this step. */
  readonly hash: string;
}

/**
 * Proof of the workflow that made the results: `hash` is the last of a hash chain that starts with `head`. Source: docs/decisions/0033.
 */
export interface RunReceipt {
  readonly head: {
    readonly runId: string;
    readonly workflowId: string;
    readonly version: number | null;
    readonly graphHash: string | null;
    readonly documentId: string;
    readonly documentSha256: string | null;
    /** Experiment that the gate accepted when the version was published, null for an override; absent: no gate asked. */
    readonly evidence?: { readonly experimentId: string | null };
    /** Absent: a published version ran. */
    readonly draft?: DraftPlace;
  };
  readonly steps: readonly ReceiptStep[];
  /** Number of steps that are in the hash chain but not listed. */
  readonly stepsLeftOut: number;
  readonly outputsDigest: string | null;
  readonly hash: string;
}

/** Progress of a node that reads the pages of a document. Source: docs/decisions/0232. */
export interface RunReading {
  /** Path of the node in the run. */
  readonly nodeId: string;
  /** Id that the OCR result gets. */
  readonly ocrResultId: string;
  readonly pagesRead: number;
  readonly pages: number;
}

/** One document in a workflow: the unit that workers lease. Times in UTC. */
export interface RunRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly executionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly workflowId: string;
  /** Same as in its execution. */
  readonly workflowProjectId?: string;
  /** Key that started it; absent if no key did. */
  readonly apiKeyId?: string;
  readonly documentId: string;
  /** Set by the first claim, then constant. */
  readonly version: number | null;
  readonly graphHash: string | null;
  readonly status: RunStatus;
  /** Number of claims by workers; over the limit the run fails as `run.poisoned`. */
  readonly attempts: number;
  /** Fencing token: every claim raises it, every write of a worker must match it. */
  readonly fence: number;
  readonly owner: string | null;
  /** Workers claim the queued run of the lowest rank, interactive runs first. Absent in runs that ended under older versions. */
  readonly lane?: Lane;
  readonly rank?: number;
  /** Time at which the run was queued last; absent while it is not queued. For its age only: it does not delay the claim. */
  readonly queuedAt?: Date;
  /** Last sign of life of the worker. A lease is over when this does not change; absent while the run is not running. */
  readonly beatAt?: Date;
  /** true: the execution has an initial state for the worker to load. */
  readonly hasInitialState: boolean;
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly finishedAt: Date | null;
  readonly error: RunFailure | null;
  /** Open questions of a waiting run; removed when it continues. */
  readonly waitingFor?: readonly OpenQuestion[];
  /** Time at which the run began to wait last. Runs of before 0.3 may have none. */
  readonly waitingAt?: Date;
  readonly answers?: readonly GivenAnswer[];
  /** Paths of nodes that failed while the run went on and succeeded; absent if there are none. */
  readonly degraded?: readonly string[];
  /** Same as in its execution. */
  readonly mends?: number;
  /** Corrections since then outlast what the run makes. Absent: its creation. Source: docs/decisions/0268. */
  readonly baseAt?: Date;
  /** Time at which the degraded run is repeated by itself; absent: it is not. */
  readonly mendAt?: Date;
  /** Outputs of a successful run, by the names of the graph's `outputs`. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Attempts at nodes, in the order in which they were recorded: the first of them, if there are `stepBuckets`. */
  readonly steps?: readonly StepRecord[];
  /** Number of records with further steps. */
  readonly stepBuckets?: number;
  /** Pages that a node of the run has read so far, as they were told last; absent or null: none reads. */
  readonly reading?: RunReading | null;
  /** Receipt of a run that a worker finished. */
  readonly receipt?: RunReceipt;
  /** true: its execution has a callback URL. */
  /** A person started it in the dashboard. */
  readonly byPerson?: true;
  readonly hasCallback?: true;
  /** Same as in its execution. */
  readonly trace?: TraceContext;
  /** Execution that runs it again, started by retry_runs or by itself. */
  readonly retriedBy?: string;
  /** Same as in its execution: the run writes nothing that documents, search or the realtime feed show. */
  readonly experiment?: CellPlace;
  /** Its document is in the trash: no read shows what it quotes. */
  readonly trashed?: true;
  /** The draft that it runs: like a run of an experiment it leaves documents and search as they are. Source: docs/decisions/0165. */
  readonly draft?: DraftMark;
  /** Text that a run of an experiment read; set at its end. */
  readonly ocrResultId?: string;
}

/** Kinds of runs whose results no document, search or list shows: on the holdout, of other experiments, of drafts, and of single nodes. */
export const apartKinds = ['holdout', 'experiments', 'drafts', 'nodes'] as const;
export type ApartKind = (typeof apartKinds)[number];

/** True for such a run. */
export const isApart = ({ experiment, draft }: Pick<RunRecord, 'experiment' | 'draft'>): boolean =>
  experiment !== undefined || draft !== undefined;

/** Marks the run of a draft, in a run, a receipt or an event. Empty for other runs. */
export function draftOf({ draft }: { readonly draft?: DraftPlace }): { readonly draft?: DraftPlace } {
  if (draft === undefined) return {};
  const { revision, nodeId } = draft;
  return { draft: { revision, ...(nodeId !== undefined && { nodeId }) } };
}

export const terminalStatuses: ReadonlySet<string> = new Set<ExecutionStatus>([
  'succeeded',
  'partially_succeeded',
  'failed',
  'canceled',
  'timed_out',
]);

export type RunCounts = Readonly<Record<RunStatus, number>> & { readonly total: number };

export function countRuns(runs: readonly Pick<RunRecord, 'status'>[]): RunCounts {
  const counts: Record<RunStatus, number> & { total: number } = {
    total: runs.length,
    queued: 0,
    running: 0,
    waiting: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    timed_out: 0,
  };
  for (const run of runs) counts[run.status] += 1;
  return counts;
}

/** Status of an execution from its runs: unfinished runs decide; otherwise the common final status, or `partially_succeeded`. */
export function executionStatus(counts: RunCounts): ExecutionStatus {
  if (counts.running > 0) return 'running';
  if (counts.queued > 0) return counts.queued === counts.total ? 'queued' : 'running';
  if (counts.waiting > 0) return 'waiting';
  if (counts.succeeded === counts.total) return 'succeeded';
  if (counts.succeeded > 0) return 'partially_succeeded';
  if (counts.canceled === counts.total) return 'canceled';
  if (counts.timed_out === counts.total) return 'timed_out';
  return 'failed';
}
