/** Error that ended a run or a step. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  /** Path of the node whose failure ended the run; absent for an error of the run itself, and on rows of older versions. */
  readonly nodeId?: string;
}
