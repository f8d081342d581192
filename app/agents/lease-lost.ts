import { InkgraphError } from '#src/domain/app-error.ts';

/** The lease is somebody else's: whatever this worker still does for the run no longer counts. */
export class LeaseLostError extends InkgraphError {
  constructor() {
    super('the lease was lost');
  }
}
