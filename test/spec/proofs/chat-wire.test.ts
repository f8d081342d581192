import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { ChatFrame } from '#src/contracts/streams/chat-frames.ts';
import { SourceCard } from '#src/contracts/resources/chat.ts';
import { allFrames, chunksOf, textOf, type Frame } from '#test/chat-clients/support/frames.ts';
import { aiSdks, readAnswer } from '#test/chat-clients/support/ai-sdk.ts';
import { chatStream, startOpenAiServer, type OpenAiServer } from '#test/support/servers/openai-server.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { realtimeKinds } from '#src/domain/events/events.ts';
import { verifies } from '#test/support/verifies.ts';

const { path } = dashboardLive.chat;
const question = 'When can the atlas be collected?';
const said = 'It can be collected on Thursday after 4:15 pm [1].';

const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
let model: OpenAiServer;
let app: TestApp;
let cookie: string;
let documentId: string;

/** A scan that the pipeline has read without any model; then the same folder with a model behind a server of ours. */
beforeAll(async () => {
  await using reading = await startTestApp({ dataDir, env: { SERVICES: 'api,agents' } });
  documentId = (await reading.ingest(await fixture('note.gif'), 'image/gif')).id;
  await reading.app.idle();
  const all = await ask({ messages: [{ role: 'user', content: question }] }, await reading.signIn(), reading);
  extractive = await allFrames(all);
});
let extractive: Frame[] = [];
beforeAll(async () => {
  model = await startOpenAiServer({
    chat: [chatStream(said)],
  });
  const env = { SERVICES: 'api', OPENAI_API_KEY: 'sk-test-1', OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'talk-1' };
  app = await startTestApp({ dataDir, env });
  cookie = await app.signIn();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const ask = (body: object, session = cookie, { addresses } = app, at = path) =>
  fetch(new URL(at, addresses.api), {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: session },
    body: JSON.stringify(body),
  });
const plain = { messages: [{ role: 'user', content: question }] };
const withCookie: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('cookie', cookie);
  return fetch(input, { ...init, headers });
};

verifies('chat.stream', async () => {
  const response = await ask(plain);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const all = await allFrames(response);
  expect(all.at(-1)?.data).toBe('[DONE]');
  expect(textOf(all)).toBe(said);
  // Not in one piece: as the model says it.
  expect(chunksOf(all).filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1);
});

verifies('chat.messages', async () => {
  const parts = [{ type: 'text', text: question }];
  const shapes = [
    plain,
    { messages: [{ role: 'user', content: parts }] },
    { id: 'c', messages: [{ id: 'm', role: 'user', parts }], trigger: 'submit-message' },
  ];
  for (const shape of shapes) expect(textOf(await allFrames(await ask(shape)))).toBe(said);
  const agUi = await allFrames(await ask({ ...plain, threadId: 't', runId: 'r', tools: [], context: [], state: {} }));
  const deltas = chunksOf(agUi).filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT');
  expect(deltas.map(({ delta }) => delta).join('')).toBe(said);
  expect(model.seen.filter(({ raw }) => raw.includes(question)).length).toBeGreaterThanOrEqual(4);
});

verifies('service.openapi.frames', async () => {
  const agUi = { ...plain, threadId: 'frames', runId: 'r', tools: [], context: [], state: {} };
  const seen = new Set<string>();
  for (const body of [plain, agUi])
    for (const chunk of chunksOf(await allFrames(await ask(body)))) seen.add(ChatFrame.parse(chunk).type);
  for (const type of [
    'data-assistant_sources',
    'text-delta',
    'finish',
    'CUSTOM',
    'TEXT_MESSAGE_CONTENT',
    'RUN_FINISHED',
  ])
    expect([...seen]).toContain(type);
  const description = (await app.call('GET', '/api/dashboard/openapi.json')).body;
  for (const [name, some] of [
    ['ChatFrame', 'text-delta'],
    ['RealtimeEvent', 'run.completed'],
  ] as const) {
    const { oneOf, discriminator } = description.components.schemas[name];
    expect(discriminator.propertyName).toBe('type');
    expect(oneOf.map(({ $ref }: { $ref: string }) => $ref)).toEqual(Object.values(discriminator.mapping));
    expect(discriminator.mapping).toHaveProperty([some]);
  }
  const kinds = Object.keys(description.components.schemas.RealtimeEvent.discriminator.mapping);
  expect(kinds.toSorted()).toEqual([...realtimeKinds, 'reset'].toSorted());
});

verifies('chat.sources', async () => {
  const all = await allFrames(await ask(plain));
  const { type, data } = JSON.parse(all.find(({ event }) => event === 'assistant_sources')?.data ?? '{}');
  expect(type).toBe('data-assistant_sources');
  const cards = SourceCard.array().parse(data.sources);
  expect(cards).toMatchObject([{ index: 1, documentId }]);
  expect(cards[0]?.excerpts.some(({ text, verified }) => verified && text.includes('Thursday'))).toBe(true);
});

verifies('chat.sources.event', async () => {
  const order: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const source = new EventSource(new URL(path, app.addresses.api), {
    fetch: (input, init) =>
      withCookie(input, {
        ...init,
        method: 'POST',
        headers: { ...init.headers, 'content-type': 'application/json' },
        body: JSON.stringify(plain),
      }),
  });
  source.addEventListener('assistant_sources', () => order.push('assistant_sources'));
  source.addEventListener('message', ({ data }) => {
    order.push(data === '[DONE]' ? data : JSON.parse(data).type);
    if (data !== '[DONE]') return;
    source.close();
    resolve();
  });
  await closed;
  expect(order.slice(0, 2)).toEqual(['start', 'assistant_sources']);
  expect(order.filter((name) => name === 'assistant_sources')).toHaveLength(1);
  expect(order.indexOf('assistant_sources')).toBeLessThan(order.indexOf('text-delta'));
});

verifies('chat.proxy', async () => {
  const all = await allFrames(await ask({ ...plain, id: 'proxied' }, cookie, app, '/api/documents/chat'));
  expect(textOf(all)).toBe(said);
  const resumed = await fetch(new URL('/api/documents/chat/proxied/stream', app.addresses.api), {
    headers: { cookie },
  });
  expect(resumed.status).toBe(204);
  expect((await ask(plain, '', app, '/api/documents/chat')).status).toBe(401);
});

test('without a model the answer comes over the same wire, labelled as extracted', () => {
  const [start, sources] = chunksOf(extractive);
  expect(start.messageMetadata.modelLabel).toBe('local/extractive');
  expect(sources.data.sources).toMatchObject([{ documentId }]);
  expect(textOf(extractive)).toContain('Thursday');
  expect(extractive.at(-1)?.data).toBe('[DONE]');
});

describe('clients of the real thing', () => {
  test.each(aiSdks)('the AI SDK %s shows sources and text', async (_version, load) => {
    const message = await readAnswer(
      await load(),
      { api: new URL(path, app.addresses.api).href, fetch: withCookie },
      question,
    );
    expect(message.parts).toMatchObject([
      { type: 'data-assistant_sources', data: { sources: [{ documentId }] } },
      { type: 'source-document', sourceId: documentId, mediaType: 'image/gif' },
      { type: 'step-start' },
      { type: 'text', text: said, state: 'done' },
    ]);
    expect(message.metadata).toMatchObject({ modelLabel: 'openai/talk-1', cited: [1] });
  });

  test('the AG-UI client runs through an answer', async () => {
    const agent = new HttpAgent({ url: new URL(path, app.addresses.api).href, headers: { cookie } });
    agent.addMessage({ id: 'q', role: 'user', content: question });
    const heard: unknown[] = [];
    const { newMessages } = await agent.runAgent({}, { onCustomEvent: ({ event }) => void heard.push(event) });
    expect(heard).toMatchObject([{ name: 'assistant_sources', value: { sources: [{ documentId }] } }]);
    expect(newMessages).toMatchObject([{ role: 'assistant', content: said }]);
  });

  test('who goes away ends the request to the model', async () => {
    await using slow = await startOpenAiServer({ chat: ['hang'] });
    const env = { SERVICES: 'api', OPENAI_API_KEY: 'sk-test-1', OPENAI_BASE_URL: slow.baseUrl };
    await app[Symbol.asyncDispose]();
    app = await startTestApp({ dataDir, env });
    cookie = await app.signIn();
    const leaving = new AbortController();
    const asking = fetch(new URL(path, app.addresses.api), {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(plain),
      signal: leaving.signal,
    });
    const isChat = () => slow.seen.find((request) => request.path.endsWith('/chat/completions'));
    await expect.poll(isChat).toBeDefined();
    leaving.abort();
    await expect(asking).rejects.toThrow();
    expect(await isChat()?.closed).toBe('broken off');
  });
});
