import type { Metrics } from '#src/domain/ports/metrics.ts';

/** Metrics whose library is loaded at the first use: not before the service listens. */
export function metricsOnUse(load: () => Promise<Metrics>): Metrics {
  const state: { loaded: Metrics | null; loading: Promise<Metrics> | null } = { loaded: null, loading: null };
  const loading = (): Promise<Metrics> => {
    state.loading ??= load().then((metrics) => {
      state.loaded = metrics;
      return metrics;
    });
    return state.loading;
  };
  const count = (add: (metrics: Metrics) => void): void => {
    if (state.loaded !== null) add(state.loaded);
    // Counts are added in order. A reader of the metrics gets the error.
    else loading().then(add, () => undefined);
  };
  return {
    request: (sample) => count((metrics) => metrics.request(sample)),
    run: (status, seconds) => count((metrics) => metrics.run(status, seconds)),
    searchRetriever: (...sample) => count((metrics) => metrics.searchRetriever(...sample)),
    removed: (chore, removed) => count((metrics) => metrics.removed(chore, removed)),
    poolWait: (...sample) => count((metrics) => metrics.poolWait(...sample)),
    text: async () => (await loading()).text(),
    json: async () => (await loading()).json(),
  };
}
