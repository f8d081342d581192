import { expect, test } from 'vitest';
import { openWorkshop, type Workshop } from '#test/support/durable/durable-run.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { startOpenAiServer } from '#test/support/servers/openai-server.ts';
import { fixture } from '#test/support/test-app.ts';
import { stepsIn } from '#test/support/stored.ts';

const executions = '/api/service/workflow-executions';
/** A worker looks every half second. */
const withinMs = 1_000;

async function cancel({ api }: Workshop, executionId: string): Promise<void> {
  const { status, body } = await api.call('POST', `${executions}/${executionId}/cancel`, { key: api.seed.serviceKey });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
}

test('a cancel closes the connection of a model call in another process within a second', async () => {
  await using workshop = await openWorkshop();
  await using models = await startOpenAiServer({ chat: ['hang'] });
  await using _worker = await workshop.worker({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: models.baseUrl });
  const graph = graphOf({ ask: { type: 'llm', config: { prompt: 'Well?' } } }, ['START>ask', 'ask>END'], {
    state: { answer: { schema: {} } },
  });
  const { executionId } = await workshop.start(graph);
  const request = await models.arrival(0);
  await cancel(workshop, executionId);
  const asked = performance.now();
  expect(await request.closed).toBe('broken off');
  expect(performance.now() - asked).toBeLessThan(withinMs);
  expect(await workshop.ended(executionId)).toMatchObject({ status: 'canceled' });
}, 30_000);

test('a cancel stops text recognition in another process, and its thread is free for the next document', async () => {
  await using workshop = await openWorkshop();
  const { api, stored } = workshop;
  await using worker = await workshop.worker({ OCR_WORKERS: '1' });
  const key = api.seed.serviceKey;
  const { id } = await api.store(await fixture('statement.tiff'), 'image/tiff');
  const workflowId = api.seed.workflowId;
  const { body } = await api.call('POST', executions, { key, body: { workflowId, documentIds: [id] } });
  const { runId } = body.runs[0];
  const recognizing = async () =>
    (await stepsIn(stored, runId)).filter(({ nodeId, status }) => nodeId === 'recognize' && status === 'running')
      .length;
  await expect.poll(recognizing, { timeout: 15_000, interval: 50 }).toBe(1);
  await cancel(workshop, body.id);
  const asked = performance.now();
  await worker.said('lease lost');
  expect(performance.now() - asked).toBeLessThan(withinMs);
  expect(await stored.ocrResults.countDocuments({ runId })).toBe(0);
  const next = await api.ingest(await fixture('note.gif'), 'image/gif');
  expect(await workshop.ended(next.id.replace('doc_', 'exec_'))).toMatchObject({ status: 'succeeded' });
  expect(await stored.ocrResults.countDocuments({ runId })).toBe(0);
}, 30_000);
