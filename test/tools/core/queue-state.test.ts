import { expect, test } from 'vitest';
import { HealthService } from '#tools/core/health.ts';
import { QueueReader } from '#tools/core/queue-state.ts';
import type { QueueDepth } from '#src/stores/run-queue.ts';

const hour = 3_600_000;

/** A queue of one oldest run, and clocks that the test moves. */
function queue() {
  const state = { oldest: null as QueueDepth['oldest'], wall: 1_800_000_000_000, ticks: 5_000 };
  const reader = new QueueReader(
    { depth: async () => ({ depth: state.oldest === null ? 0 : 1, oldest: state.oldest }) },
    () => ({
      now: new Date(state.wall),
      ticks: state.ticks,
    }),
  );
  return {
    reader,
    age: async () => (await reader.read()).oldestSeconds,
    pass(ms: number): void {
      state.wall += ms;
      state.ticks += ms;
    },
    set: (ms: number): void => void (state.wall += ms),
    oldest(_id: string, ago: number): void {
      state.oldest = { _id, fence: 0, queuedAt: new Date(state.wall - ago) };
    },
    empty: (): void => void (state.oldest = null),
  };
}

test('the age of the oldest run grows with the time, and is 0 in an empty queue', async () => {
  const { age, pass, oldest, empty } = queue();
  expect(await age()).toBe(0);
  oldest('run_a', 3_000);
  expect(await age()).toBe(3);
  pass(4_500);
  expect(await age()).toBe(7.5);
  oldest('run_b', 2_000);
  expect(await age()).toBe(2);
  empty();
  expect(await age()).toBe(0);
});

test.each([-25 * hour, 25 * hour])(
  'a clock that is set by %i ms neither hides a run that waits nor makes it older',
  async (jump) => {
    const { age, pass, set, oldest } = queue();
    oldest('run_a', 10_000);
    expect(await age()).toBe(10);
    oldest('run_b', 9_000);
    set(jump);
    expect(await age()).toBeLessThanOrEqual(9);
    const seen = await age();
    pass(70_000);
    expect(await age()).toBeCloseTo(seen + 70, 1);
  },
);

test('a run that was queued by a clock of tomorrow counts from its first sight', async () => {
  const { age, pass, oldest } = queue();
  oldest('run_a', -25 * hour);
  expect(await age()).toBe(0);
  pass(120_000);
  expect(await age()).toBe(120);
});

test('health is degraded when the oldest run waits longer than the bound', async () => {
  const { reader, oldest, pass } = queue();
  const fine = async (): Promise<void> => undefined;
  const modelLabels = { describer: 'd', textEmbeddings: 't', imageEmbeddings: 'i' };
  const health = () =>
    new HealthService({
      redis: () => null,
      quantization: 'none' as const,
      version: '1',
      instanceId: 'ins_1',
      abilities: () => null,
      queue: reader,
      contentTypes: [],
      queueWaitSeconds: 30,
      modelLabels,
      checkDatabase: fine,
      checkObjects: fine,
      checkSearch: fine,
      oldestEvent: async () => null,
      disk: async () => ({ freeBytes: 1, minFreeBytes: 0 }),
      stored: async () => ({ bytes: 0, objects: 0 }),
    }).health('agents');
  oldest('run_a', -25 * hour);
  expect(await health()).toMatchObject({
    status: 'ok',
    checks: { queue: { status: 'ok', depth: 1, oldestSeconds: 0 } },
  });
  pass(31_000);
  expect(await health()).toMatchObject({
    status: 'degraded',
    checks: { queue: { status: 'degraded', oldestSeconds: 31, detail: expect.stringContaining('30 s') } },
  });
});

test('health is degraded while an event of a document waits for longer than a minute', async () => {
  let at: Date | null = new Date(Date.now() - 30_000);
  const fine = async (): Promise<void> => undefined;
  const health = () =>
    new HealthService({
      redis: () => null,
      quantization: 'none' as const,
      version: '1',
      instanceId: 'ins_1',
      abilities: () => null,
      queue: { read: async () => ({ depth: 0, oldestSeconds: 0 }) },
      queueWaitSeconds: 30,
      contentTypes: [],
      modelLabels: { describer: 'd', textEmbeddings: 't', imageEmbeddings: 'i' },
      checkDatabase: fine,
      checkObjects: fine,
      checkSearch: fine,
      oldestEvent: async () => at,
      disk: async () => ({ freeBytes: 1, minFreeBytes: 0 }),
      stored: async () => ({ bytes: 0, objects: 0 }),
    }).health('api');
  expect((await health()).checks.queue.status).toBe('ok');
  at = new Date(Date.now() - 120_000);
  const { status, checks } = await health();
  expect([status, checks.queue.status]).toEqual(['degraded', 'degraded']);
  expect(checks.queue.oldestEventSeconds).toBeGreaterThanOrEqual(120);
  at = new Date(Date.now() + 60_000);
  expect((await health()).checks.queue).toMatchObject({ status: 'ok', oldestEventSeconds: 0 });
});
