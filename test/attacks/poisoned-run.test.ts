import { expect, test } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const executions = '/api/service/workflow-executions';

test('90. a run that kills its worker again and again is given up as poisoned, and the others get through', async () => {
  await using api = await startTestApp({ env: { SERVICES: 'api' } });
  const poison = await addWorkflow(api, graphOf({ first: 'noop', kill: 'deadly' }, ['START>first', 'first>kill', 'kill>END']));
  const fine = await addWorkflow(api, graphOf({ a: 'noop', b: 'noop' }, ['START>a', 'a>b', 'b>END']));
  const key = api.seed.serviceKey;
  const documentIds = [(await api.store(tinyPng, 'image/png')).id];
  const start = async (workflowId: string) => (await api.call('POST', executions, { key, body: { workflowId, documentIds } })).body;
  const [deadly, ...others] = [await start(poison), await start(fine), await start(fine), await start(fine)];

  let over = false;
  const ended = async (id: string) => {
    for (;;) {
      const { body } = await api.call('GET', `${executions}/${id}?wait=20`, { key });
      if (typeof body.finishedAt === 'string') return body;
    }
  };
  const all = Promise.all([deadly, ...others].map((execution) => ended(execution.id))).finally(() => {
    over = true;
  });
  let deaths = 0;
  while (!over) {
    await using worker = await startService({
      dataDir: api.dataDir,
      env: { SERVICES: 'agents', RUN_LEASE_MS: '500' },
      program: 'test/support/deadly-service.ts',
    });
    const how = await Promise.race([worker.ended, all]);
    if (how === 'SIGKILL') deaths += 1;
  }
  const [poisoned, ...healthy] = await all;
  expect(poisoned).toMatchObject({ status: 'failed', runs: [{ error: { code: 'run.poisoned' } }] });
  for (const execution of healthy) expect(execution).toMatchObject({ status: 'succeeded' });
  expect(deaths).toBe(5);

  const stored = await collectionsIn(api.dataDir);
  const steps = await stored.steps.find({ runId: poisoned?.runs[0].runId }).toArray();
  await stored.close();
  expect(steps.map((step) => `${step.nodeId} ${step.status}`).toSorted()).toEqual(['first succeeded', 'kill failed']);
  expect(steps.find((step) => step.nodeId === 'kill')?.error).toMatchObject({ code: 'run.worker_lost' });
}, 90_000);
