import { afterAll, beforeAll, expect, test } from 'vitest';
import { queue as program } from '#scripts/queue.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { runCommand } from '#test/support/command.ts';
import { executionRecord } from '#test/support/records.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
});
afterAll(() => app[Symbol.asyncDispose]());

const queue = (...args: readonly string[]) => runCommand(program, args, { env: { DATA_DIR: app.dataDir } });

test('the depth of the queue is shown, and runs get their ranks by the weight of their organization', async () => {
  const { organizationId, projectId } = app.seed;
  const { executions } = app.app.deps;
  expect((await queue('depth')).out).toBe('0 queued runs\n');
  const set = await queue('weight', '4');
  expect(set.out).toBe(`Runs of ${organizationId} that are queued from now on have the weight 4.\n`);
  const { runs } = await executions.create(executionRecord({ organizationId, projectId }), newRuns);
  const [first = 0, second = 0] = runs.map((run) => run.rank ?? 0);
  expect(second - first).toBe(0.25);
  expect((await queue('depth')).out).toMatch(/^2 queued runs; the oldest has waited since 20\S+Z\n$/);
});

test.each([
  [['weight', '0'], 'from 0.01 to 100'],
  [['weight', 'x'], 'from 0.01 to 100'],
  [['weight'], 'Usage'],
  [['depth', '1'], 'Usage'],
  [['weight', '2', '--organization', 'org_none'], 'no organization org_none'],
])('%j is refused in a line that says why', async (args, why) => {
  const { code, err } = await queue(...args);
  expect([code, err]).toEqual([1, expect.stringContaining(why)]);
});
