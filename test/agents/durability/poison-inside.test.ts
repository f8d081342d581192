import { expect, test, vi } from 'vitest';
import { openWorkshop } from '#test/support/durable/durable-run.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { stepsIn } from '#test/support/stored.ts';

test('a run that kills its worker inside a map of an inner workflow is given up, and its steps say where', async () => {
  await using workshop = await openWorkshop();
  const { api, stored } = workshop;
  /** The checkpoint after `list`: a worker that dies before it is stored repeats the node, and that is progress. */
  const pastList = () => stored.checkpoints.findOne({ threadId: /\|/u, checkpoint: /"items"/u });
  await using reaper = await startOutside(({ path }, response) => {
    if (!path.includes('deadly')) {
      response.end('live');
      return;
    }
    vi.waitUntil(async () => (await pastList()) !== null, { timeout: 10_000 }).then(
      () => response.end('die'),
      () => response.end('live'),
    );
  });
  const inner = graphOf(
    {
      list: { type: 'transform', config: { set: { items: '[1, 2]' } } },
      deadly: { type: 'embed_image', cache: false },
    },
    ['START>list', 'deadly>END'],
    { state: { items: { schema: { type: 'array' } }, imageEmbedding: { schema: {}, reducer: 'append' } } },
  );
  inner.edges.push({
    from: 'list',
    map: { over: 'items', as: 'item', to: 'deadly', concurrency: 1, onItemError: 'fail' },
  });
  const workflowId = await addWorkflow(api, inner);
  const outer = graphOf({ inside: { type: 'workflow', config: { workflowId, version: 1 } } }, [
    'START>inside',
    'inside>END',
  ]);
  const poison = await workshop.start(outer);
  const fine = await workshop.start(
    graphOf({ row: { type: 'embed_image' } }, ['START>row', 'row>END'], {
      state: { imageEmbedding: { schema: {} } },
    }),
  );
  const all = Promise.all([workshop.ended(poison.executionId), workshop.ended(fine.executionId)]);
  const over = all.then(() => 'over');
  const env = { DIE_AFTER_EFFECTS: reaper.url, RUN_MAX_DEATHS: '3' };
  let deaths = 0;
  let next = workshop.standby(env);
  for (;;) {
    await using worker = await next.start();
    if (deaths < 3) next = workshop.standby(env);
    if ((await Promise.race([worker.ended, over])) === 'over') break;
    deaths += 1;
    await workshop.expire();
  }
  const [poisoned, other] = await all;
  expect(poisoned).toMatchObject({ status: 'failed', runs: [{ error: { code: 'run.poisoned' } }] });
  expect(other).toMatchObject({ status: 'succeeded' });
  expect(deaths).toBe(3);
  const steps = await stepsIn(stored, poison.runId);
  expect(steps.filter(({ status }) => status === 'running')).toEqual([]);
  expect(steps.find(({ nodeId }) => nodeId === 'inside/deadly[0]')?.error).toMatchObject({ code: 'run.worker_lost' });
}, 30_000);
