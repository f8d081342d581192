import { InkgraphError } from '#src/domain/app-error.ts';

/** The thread did not answer in time, and was ended. */
export class ComputeLateError extends InkgraphError {}

/** The thread ended before it answered, for example because its memory was used up. */
export class ComputeEndedError extends InkgraphError {}
