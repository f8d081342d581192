import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Checkpoint } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStudioServer, type StudioServer } from '#test/langgraph/studio-server.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

// The service runs the engine of the data folder, and LangGraph's server uses it.
let dataDir: string;
let app: TestApp;
let studio: StudioServer;
let client: Client;
let documentId: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  app = await startTestApp({ env: { SERVICES: 'api' }, dataDir });
  const starting = startStudioServer({ DATA_DIR: dataDir });
  documentId = (await app.store(await fixture('note.gif'), 'image/gif')).id;
  studio = await starting;
  client = new Client({ apiUrl: studio.url, callerOptions: { maxRetries: 0 } });
}, 60_000);
afterAll(async () => {
  await studio[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

const run = (threadId: string, payload: Parameters<Client['runs']['wait']>[2]): Promise<any> =>
  client.runs.wait(threadId, 'triage', payload);

verifies('langgraph.studio', async () => {
  const { input_schema, state_schema } = await client.assistants.getSchemas('triage');
  expect(input_schema?.properties).toMatchObject({
    documentId: { type: 'string' },
    label: { enum: expect.arrayContaining(['receipt']) },
  });
  expect(Object.keys(state_schema?.properties ?? {})).toEqual(
    expect.arrayContaining(['documentId', 'ocr', 'classification', 'fields']),
  );

  const { thread_id: thread } = await client.threads.create();
  const stopped = await run(thread, { input: { documentId } });
  expect(stopped.__interrupt__).toEqual([
    {
      id: expect.any(String),
      value: expect.objectContaining({ path: 'ask', prompt: expect.stringContaining('What kind of document') }),
    },
  ]);
  expect(await client.threads.getState(thread)).toMatchObject({ next: ['ask'], values: { documentId, answer: null } });

  const ended = await run(thread, { command: { resume: 'letter' } });
  expect(ended).toMatchObject({
    documentId,
    answer: 'letter',
    label: 'letter',
    fields: null,
    ocr: { ocrResultId: expect.stringMatching(/^ocr_/) },
  });
  const history = await client.threads.getHistory(thread);
  expect(history.map(({ next }) => next.join()).toReversed()).toEqual([
    '__start__',
    'load_image',
    'recognize',
    'classify',
    'ask',
    'decide',
    'extract_fields',
    'index',
    'tell',
    '',
  ]);

  const before = history.find(({ next }) => next.includes('decide'));
  const fork = await client.threads.updateState(thread, {
    values: { answer: 'invoice' },
    checkpoint: before?.checkpoint as Checkpoint,
    asNode: 'ask',
  });
  const forked = await run(thread, { input: null, checkpoint: (fork as any).checkpoint });
  expect(forked).toMatchObject({ answer: 'invoice', label: 'invoice', fields: { total: { value: { amount: 28 } } } });
});

test('runs on when the service stops, with an engine of its own, and leaves nothing behind', async () => {
  await app[Symbol.asyncDispose]();
  const { thread_id: thread } = await client.threads.create();
  const stopped = await run(thread, { input: { documentId } });
  expect(stopped.__interrupt__).toHaveLength(1);
  await studio.stop();
  await expect(fetch(studio.url)).rejects.toThrow('fetch failed');
});
