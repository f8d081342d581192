import { expect } from 'vitest';
import { formsPdf } from '#scripts/inputs/forms-pdf.ts';
import { verifies } from '#test/support/verifies.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';

/** Resolves when this number of runs of the organization has ended. */
function runsEnded({ app }: TestApp, organizationId: string, count: number, onEnd: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  const stop = app.deps.events.subscribe(organizationId, (event) => {
    if (event.type !== 'run.completed') return;
    ended += 1;
    onEnd();
    if (ended < count) return;
    stop();
    resolve();
  });
  return promise;
}

async function ingest(at: TestApp, bytes: Buffer, key: string): Promise<string> {
  const objectKey = await at.put(bytes, 'application/pdf', key);
  const { status, body } = await at.call('POST', '/api/uploads/ack', { key, body: { objectKey } });
  expect(status).toBe(201);
  return body.execution.id;
}

/** The error of the only run of an execution, after its end. */
async function errorOf(at: TestApp, executionId: string, key = at.seed.serviceKey): Promise<string> {
  await at.app.idle();
  const { body } = await at.call('GET', `/api/service/workflow-executions/${executionId}`, { key });
  return body.runs[0].error.message;
}

verifies(
  'pages.turns',
  async () => {
    await using at = await startTestApp();
    const { seed } = at;
    const neighbour = await addNeighbour(at, 'organization');
    const order: string[] = [];
    // Each takes 20 s of computing time, and there are two processes.
    for (let turn = 0; turn < 4; turn += 1)
      await ingest(at, Buffer.concat([formsPdf(12), Buffer.from(`%${turn}\n`)]), seed.workflowKey);
    void runsEnded(at, seed.organizationId, 4, () => order.push('long'));
    const read = runsEnded(at, neighbour.organizationId, 1, () => order.push('neighbour'));
    const id = await ingest(at, await fixture('invoice.pdf'), neighbour.workflowKey);
    await read;
    expect(order).toEqual(['neighbour']);
    const { body } = await at.call('GET', `/api/service/workflow-executions/${id}`, { key: neighbour.serviceKey });
    expect(body.status).toBe('succeeded');
  },
  { timeout: 90_000 },
);

verifies(
  'pages.not_tried_again',
  async () => {
    await using at = await startTestApp();
    const { seed } = at;
    // Its list of instructions fills the memory of the process.
    const bytes = formsPdf(20, 'square');
    const [spent, memory] = ['so it is not tried again', 'needs too much memory'];
    expect(await errorOf(at, await ingest(at, bytes, seed.workflowKey))).toContain(memory);
    // The second time was in another process.
    const { spentWork, close } = await collectionsIn(at.dataDir);
    const { organizationId } = seed;
    expect(await spentWork.find({ organizationId }).toArray()).toMatchObject([{ times: 1 }]);
    await spentWork.updateOne({ organizationId }, { $inc: { times: 1 } });
    expect(await errorOf(at, await ingest(at, bytes, seed.workflowKey))).toContain(spent);
    expect(await spentWork.find({ organizationId }).toArray()).toMatchObject([{ times: 2 }]);
    // A person may want to know.
    const cookie = await at.signIn();
    const { body: list } = await at.call('GET', '/api/service/documents?limit=1', { key: seed.serviceKey });
    const path = `/api/dashboard/documents/${list.documents[0].id}/run`;
    const { status, body } = await at.call('POST', path, { cookie, body: { workflowId: seed.workflowId } });
    expect(status).toBe(202);
    expect(await errorOf(at, body.executionId)).toContain(memory);
    expect(await spentWork.find({ organizationId }).toArray()).toMatchObject([{ times: 3 }]);
    await close();
  },
  { timeout: 180_000 },
);
