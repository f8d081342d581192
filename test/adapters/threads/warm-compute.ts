import { createComputeThreads } from '#app/compose/compute/threads.ts';

/**
 * Compute threads of all test apps of a worker. Each is a process, whose start takes 0.3 s of processor time and which keeps nothing between
 * two calls. test/graphs/compute tests threads without this.
 */
export const warmCompute = createComputeThreads(new AsyncDisposableStack());
