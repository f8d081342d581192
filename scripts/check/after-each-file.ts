import { afterAll, vi } from 'vitest';

/** Files share a worker: what one has put in the place of time, environment, globals or methods, the next does not find. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
