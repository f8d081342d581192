import type { ExperimentStatus } from '#src/contracts/experiments/experiment.ts';
import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { Failure } from '#src/domain/experiments/failures.ts';
import type { Split } from '#src/contracts/experiments/dataset.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';

/** A graph that an experiment measures. `version` is null for a draft and for a graph changed by `operations`. */
export interface VariantRecord {
  readonly name: string;
  readonly workflowId: string;
  /** Project that nested workflows are loaded from. */
  readonly workflowProjectId: string;
  readonly workflowName: string;
  readonly version: number | null;
  /** Revision of the draft that it was taken from, or null. */
  readonly revision: number | null;
  readonly graphHash: string;
  readonly operations: readonly Operation[] | null;
}

/** Successive halving of a search. `boundary`: number of items that the candidates in `active` run until the next cut. */
export interface SearchState {
  readonly active: readonly string[];
  readonly rung: number;
  readonly rungs: readonly number[];
  readonly dropped: readonly { readonly variant: string; readonly items: number }[];
  /** Experiment that confirms the winner. */
  readonly confirmation: string | null;
  /** Revision of the draft that has the winner. */
  readonly draftRevision: number | null;
}

/** Order and plan of an experiment never change; `launched`, `search` and the end do. */
export interface ExperimentRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  readonly kind: 'comparison' | 'search';
  readonly name: string;
  readonly datasetId: string;
  readonly datasetVersion: number;
  readonly split: Split;
  readonly status: ExperimentStatus;
  readonly stopped: string | null;
  /** The first is the baseline. */
  readonly variants: readonly VariantRecord[];
  /** The first is the primary metric. */
  readonly evaluators: readonly EvaluatorSpec[];
  readonly trials: number;
  readonly seed: string;
  readonly stop: 'all' | 'when_decided';
  /** Level of its verdict; on the holdout, what the ledger gave. */
  readonly alpha: number;
  readonly margin: number;
  readonly harmSize: number;
  readonly maxHarmRate: number;
  readonly maxRuns: number;
  readonly maxCostUsd: number | null;
  readonly maxConcurrency: number;
  /** Documents in the order in which they run. */
  readonly documentIds: readonly string[];
  /** Documents whose runs were started. */
  readonly launched: number;
  /** Runs that were started again after a failure of the machinery; absent: none. */
  readonly repeats?: number;
  readonly search: SearchState | null;
  /** Summary of an experiment that ended, as JSON text, since metrics may have any name. */
  readonly result: string | null;
  /** Search that it confirms the winner of, or null. */
  readonly parent: string | null;
  readonly createdBy: string;
  readonly apiKeyId: string | null;
  readonly userId: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Graph of a variant. `_id` is `<experimentId>/<variant>`. */
export interface ExperimentGraphRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly experimentId: string;
  readonly graph: StoredGraph;
}

/** Place of a run in an experiment. */
export interface CellPlace {
  readonly experimentId: string;
  readonly variant: string;
  readonly trial: number;
  /** Number of the run among those of this cell; absent: the first. */
  readonly attempt?: number;
  /** true: its results are shown to nobody, since the experiment runs on the holdout. */
  readonly hidden: boolean;
}

/** Score of one run by one metric. `quality`: 0 to 1, 1 is best; null for metrics without a bound. */
export interface CellScore {
  readonly value: number | null;
  readonly quality: number | null;
  readonly note: string | null;
  /** Reason for which it could not be judged although it should; absent: it was, or the metric is not about this document. */
  readonly lost?: Failure;
}

/** One measured run: a document, a variant and a trial. `_id` is `<experimentId>/<variant>/<trial>/<documentId>`. */
export interface CellRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly experimentId: string;
  readonly documentId: string;
  readonly variant: string;
  readonly trial: number;
  readonly runId: string;
  readonly status: 'succeeded' | 'failed' | 'timed_out' | 'canceled';
  readonly error: string | null;
  /** Failure of the run, or one of the machinery that it went on after. Absent without one, and on rows of older versions. */
  readonly failure?: Failure;
  /** Runs of this cell that failed before; absent: none. */
  readonly repeats?: number;
  /** Scores by the name of the metric. */
  readonly scores: Readonly<Record<string, CellScore>>;
  readonly ms: number | null;
  readonly costUsd: number | null;
  /** Cost of the models that judged it; absent: none was reported. */
  readonly judgingUsd?: number;
  /** Cost of the runs that failed before; absent: none was reported. */
  readonly repeatsUsd?: number;
  /** true: at least one step took its outcome from the cache. */
  readonly cached: boolean;
  readonly outputText: string;
  readonly at: Date;
  /** Its document is in the trash: no read shows what it quotes. */
  readonly trashed?: true;
}

export const cellIdOf = ({
  experimentId,
  variant,
  trial,
  documentId,
}: Pick<CellRecord, 'experimentId' | 'variant' | 'trial' | 'documentId'>): string =>
  `${experimentId}/${variant}/${trial}/${documentId}`;

export const isOver = ({ status }: Pick<ExperimentRecord, 'status'>): boolean => status !== 'running';
