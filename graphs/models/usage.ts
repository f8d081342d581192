import type { ModelUsage } from '#src/domain/ports/models.ts';

/** Sums the usage of several calls; figures that no call reported are left out. Throws if there is no call. */
export function sumUsage(calls: readonly ModelUsage[]): ModelUsage {
  const [first] = calls;
  if (first === undefined) throw new Error('no call to sum up');
  const sum = (name: 'inputTokens' | 'outputTokens' | 'costUsd'): Partial<ModelUsage> => {
    const told = calls.map((call) => call[name]).filter((value) => value !== undefined);
    return told.length === 0 ? {} : { [name]: told.reduce((left, right) => left + right, 0) };
  };
  return {
    provider: first.provider,
    model: first.model,
    ...sum('inputTokens'),
    ...sum('outputTokens'),
    ...sum('costUsd'),
    ms: calls.reduce((ms, call) => ms + call.ms, 0),
  };
}

/** Usage of local rules since `start` (`performance.now()`). */
export function rulesUsage(start: number, model = 'rules-1'): ModelUsage {
  return { provider: 'local', model, ms: performance.now() - start };
}
