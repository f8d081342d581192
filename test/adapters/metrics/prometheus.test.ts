import perfHooks from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { createPrometheusMetrics } from '#src/adapters/metrics/prometheus.ts';
import { verifies } from '#test/support/verifies.ts';

const read = {
  queue: async () => ({ depth: 3, oldestSeconds: 0 }),
  stored: async () => ({ bytes: 0, objects: 0 }),
  redisErrors: null,
};
const open = () => createPrometheusMetrics(read);

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

/** Sum of the waits by organization. */
function waitsOf(text: string): Map<string, number> {
  const waits = text.matchAll(/^inkgraph_pool_wait_seconds_sum\{(.*)\} (.*)$/gm);
  const byOrganization = new Map<string, number>();
  for (const [, labels = '', value = ''] of waits) {
    const name = /organization="(.*?)"/.exec(labels)?.[1] ?? '';
    byOrganization.set(name, (byOrganization.get(name) ?? 0) + Number(value));
  }
  return byOrganization;
}

verifies('pages.waits', async () => {
  const sibling = open();
  const metrics = createPrometheusMetrics(read, async () => [await sibling.json()]);
  const alone = open();
  for (const one of [metrics, alone])
    for (let at = 1; at <= 60; at += 1) for (const pool of ['pdf', 'ocr']) one.poolWait(pool, `org_${at}`, at);
  for (let at = 61; at <= 100; at += 1) sibling.poolWait('pdf', `org_${at}`, 1_000 + at);
  for (const text of [await alone.text(), await metrics.text()]) {
    const waits = waitsOf(text);
    expect(waits.size).toBe(21);
    expect(waits.get('other')).toBeGreaterThan(0);
  }
  const names = [...waitsOf(await alone.text()).keys()];
  expect(names.toSorted()).toEqual([...Array.from({ length: 20 }, (_, at) => `org_${at + 41}`), 'other'].toSorted());
  expect([...waitsOf(await metrics.text()).keys()]).toContain('org_100');
});
