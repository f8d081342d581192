import type { Metrics } from '#src/domain/ports/metrics.ts';

/** Counts nothing, for a process that serves nobody: a command. */
export const noMetrics: Metrics = {
  request() {},
  run() {},
  searchRetriever() {},
  removed() {},
  poolWait() {},
  text: async () => '',
  json: async () => [],
};
