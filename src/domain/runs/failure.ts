/** Error that ended a run or a step. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
}
