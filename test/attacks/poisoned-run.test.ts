import { expect, test } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { bundledProgram } from '#test/support/durable/bundled-program.ts';
import { collectionsIn, stepsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const executions = '/api/service/workflow-executions';

async function ended(api: TestApp, id: string) {
  for (;;) {
    const { body } = await api.call('GET', `${executions}/${id}?wait=20`, { key: api.seed.serviceKey });
    if (typeof body.finishedAt === 'string') return body;
  }
}

/** Starts workers one after the other until `done` settles; answers how many of them were killed. */
async function deathsUntil(done: Promise<unknown>, dataDir: string, more: Record<string, string>): Promise<number> {
  const over = done.then(() => 'over');
  const program = await bundledProgram('deadly-service');
  for (let deaths = 0; ; deaths += 1) {
    const env = { SERVICES: 'agents', RUN_LEASE_MS: '500', ...more };
    await using worker = await startService({ dataDir, env, program });
    if ((await Promise.race([worker.ended, over])) !== 'SIGKILL') return deaths;
  }
}

test.each([
  // Two deaths in company, and by default three alone.
  ['deadly', {}, 5],
  ['deadly_later', { RUN_MAX_DEATHS: '3' }, 3],
] as const)(
  '90. a run whose node is %s is given up as poisoned, and the others get through',
  async (type, env, deaths) => {
    await using api = await startTestApp({ env: { SERVICES: 'api' } });
    const poison = await addWorkflow(
      api,
      graphOf({ first: 'noop', kill: type }, ['START>first', 'first>kill', 'kill>END']),
    );
    const fine = await addWorkflow(api, graphOf({ a: 'noop', b: 'noop' }, ['START>a', 'a>b', 'b>END']));
    const key = api.seed.serviceKey;
    const documentIds = [(await api.store(tinyPng, 'image/png')).id];
    const start = async (workflowId: string): Promise<string> =>
      (await api.call('POST', executions, { key, body: { workflowId, documentIds } })).body.id;
    const ids = [await start(poison), await start(fine), await start(fine), await start(fine)];

    const all = Promise.all(ids.map((id) => ended(api, id)));
    expect(await deathsUntil(all, api.dataDir, env)).toBe(deaths);
    const [poisoned, ...others] = await all;
    expect(poisoned).toMatchObject({ status: 'failed', runs: [{ error: { code: 'run.poisoned' } }] });
    for (const execution of others) expect(execution).toMatchObject({ status: 'succeeded' });

    const stored = await collectionsIn(api.dataDir);
    const steps = await stepsIn(stored, poisoned.runs[0].runId);
    await stored.close();
    expect(steps.filter((step) => step.status === 'running')).toEqual([]);
    if (type === 'deadly') return;
    expect(steps.map((step) => `${step.nodeId} ${step.status}`).toSorted()).toEqual(['first succeeded', 'kill failed']);
    expect(steps.find((step) => step.nodeId === 'kill')?.error).toMatchObject({ code: 'run.worker_lost' });
  },
  90_000,
);
