/** The lease is somebody else's: whatever this worker still does for the run no longer counts. */
export class LeaseLostError extends Error {
  constructor() {
    super('the lease was lost');
  }
}
