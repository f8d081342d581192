import type { DatasetVersionRecord } from '#src/domain/experiments/dataset.ts';
import type { CellRecord, ExperimentGraphRecord, ExperimentRecord } from '#src/domain/experiments/experiment.ts';

/** Items are JSON text: fields of a reference may have any name. */
export interface DatasetVersionRow extends Omit<DatasetVersionRecord, 'items'> {
  readonly items: string;
  /** Ids of the items, for their deletion. */
  readonly documentIds: readonly string[];
  /** Number of documents whose references were removed since, with the documents. Cached items are as old as this number. */
  readonly redactions: number;
}

/** Evaluators and operations are JSON text: operations and schemas may have any names. */
export interface ExperimentRow extends Omit<ExperimentRecord, 'evaluators' | 'variants'> {
  readonly evaluators: string;
  readonly variants: readonly (Omit<ExperimentRecord['variants'][number], 'operations'> & {
    readonly operations: string | null;
  })[];
}
export interface ExperimentGraphRow extends Omit<ExperimentGraphRecord, 'graph'> {
  readonly graph: string;
}
export interface CellRow extends Omit<CellRecord, 'scores'> {
  readonly scores: string;
}
