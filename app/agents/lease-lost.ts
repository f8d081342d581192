import { InkgraphError } from '#src/domain/app-error.ts';

/** The lease belongs to another worker: later writes of this one for the run do not count. */
export class LeaseLostError extends InkgraphError {
  constructor() {
    super('the lease was lost');
  }
}
