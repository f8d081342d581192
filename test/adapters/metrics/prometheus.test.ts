import perfHooks from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { createPrometheusMetrics } from '#src/adapters/metrics/prometheus.ts';

const open = () =>
  createPrometheusMetrics({
    queue: async () => ({ depth: 3, oldestSeconds: 0 }),
    stored: async () => ({ bytes: 0, objects: 0 }),
    redisErrors: null,
  });

test('services of one process share the timer that looks at its event loop, and count for themselves', async () => {
  const timers = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
  const [one, other] = [open(), open()];
  // None if other tests of this process opened services before.
  expect(timers.mock.calls.length).toBeLessThanOrEqual(1);
  one.run('succeeded', 1);
  const texts = await Promise.all([one.text(), other.text()]);
  for (const text of texts) {
    expect(text).toContain('inkgraph_nodejs_eventloop_lag_seconds');
    expect(text).toContain('inkgraph_queue_depth 3');
  }
  expect(texts.map((text) => text.includes('inkgraph_run_seconds_count{status="succeeded"} 1'))).toEqual([true, false]);
  expect(JSON.stringify(await one.json())).toContain('inkgraph_process_cpu_user_seconds_total');
});
