import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import type { Ask } from '#http/chat/stream-writer.ts';
import type { Asked } from '#http/chat/request.ts';
import type { ToolContext } from '#tools/define.ts';
import { chatPath, listenForChat, tellAnswer, type ChatListener } from '#test/chat-clients/support/chat-listener.ts';
import { allFrames, chunksOf, firstFrame, textOf } from '#test/chat-clients/support/frames.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
let other: Person;
let listener: ChatListener;
let asks: { ctx: ToolContext; asked: Asked }[];
/** Model that answers; every test may set another. */
let answer: Ask;

beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
  other = await app.addPerson('viewer');
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  asks = [];
  answer = (ctx, { conversationId }) => tellAnswer(ctx, {}, conversationId);
  listener = await listenForChat(app, (ctx, asked) => {
    asks.push({ ctx, asked });
    return answer(ctx, asked);
  });
});
afterEach(() => listener[Symbol.asyncDispose]());

interface Options {
  readonly cookie?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}
const post = (body: unknown, options: Options = {}) =>
  fetch(new URL(options.path ?? chatPath, listener.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: options.cookie ?? cookie, ...options.headers },
    body: JSON.stringify(body),
  });
const resume = (chatId: string, options: Options = {}) =>
  fetch(new URL(`${options.path ?? chatPath}/${chatId}/stream`, listener.url), {
    headers: { cookie: options.cookie ?? cookie },
  });
const plain = (content: unknown = 'What is the total?') => ({ messages: [{ role: 'user', content }] });
const ui = (text = 'What is the total?', id?: string) => ({
  ...(id === undefined ? {} : { id }),
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
  trigger: 'submit-message',
});
const lastAsked = () => asks.at(-1)?.asked;

describe('the request', () => {
  test('is understood in all three shapes', async () => {
    const messages = [{ role: 'user', text: 'What is the total?' }];
    const agUi = { threadId: 't', runId: 'r', state: {}, tools: [], context: [], forwardedProps: {} };
    const shapes = [
      plain(),
      plain([{ type: 'text', text: 'What is the total?' }]),
      ui(),
      { ...agUi, messages: [{ id: 'm', role: 'user', content: 'What is the total?' }] },
    ];
    for (const shape of shapes) {
      expect((await post(shape)).status).toBe(200);
      expect(lastAsked()?.messages).toMatchObject(messages);
    }
    expect(asks).toHaveLength(shapes.length);
  });

  test('may narrow the scope at the top, in data and in forwardedProps, and is refused where they differ', async () => {
    const scope = { projectIds: ['prj_1'], apiKeyIds: ['key_1', 'key_2'], documentIds: ['doc_1'] };
    for (const body of [scope, { data: scope }, { forwardedProps: scope }, { ...scope, data: scope }]) {
      await post({ ...plain(), ...body });
      expect(lastAsked()).toMatchObject(scope);
    }
    const count = asks.length;
    const refused = await post({ ...plain(), ...scope, forwardedProps: { documentIds: ['doc_2'] } });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/forwardedProps/documentIds' }] });
    expect(asks).toHaveLength(count);
    await post({ ...plain(), apiKeyIds: ['a', 'b'], data: { apiKeyIds: ['b', 'a'] } });
    expect(asks).toHaveLength(count + 1);
  });

  test('takes only the text of what clients send back of earlier answers', async () => {
    const card = { type: 'data-assistant_sources', id: 'sources', data: { sources: [{ text: 'x'.repeat(200_000) }] } };
    const parts = [
      card,
      { type: 'source-document', sourceId: 's', mediaType: 'image/png', title: 'T' },
      { type: 'reasoning', text: 'thought' },
      { type: 'step-start' },
      { type: 'text', text: 'It is ', state: 'done' },
      { type: 'text', text: '42.' },
    ];
    const answerBefore = { id: 'm2', role: 'assistant', parts };
    const empty = { id: 'm3', role: 'assistant', parts: [card] };
    const response = await post({
      messages: [plain('First?').messages[0], answerBefore, empty, ...ui('Second?').messages],
    });
    expect(response.status).toBe(200);
    expect(lastAsked()?.messages).toEqual([
      { role: 'user', text: 'First?' },
      { id: 'm2', role: 'assistant', text: 'It is \n42.' },
      { id: 'm1', role: 'user', text: 'Second?' },
    ]);
  });

  test.each([
    ['no messages', { messages: [] }, '/messages'],
    ['an answer at the end', { messages: [{ role: 'assistant', content: 'x' }] }, '/messages/0'],
    ['a question without text', plain('  \n'), '/messages/0'],
    ['a question of other parts', { messages: [{ role: 'user', parts: [{ type: 'file', url: 'x' }] }] }, '/messages/0'],
    ['an empty scope', { ...plain(), documentIds: [] }, '/documentIds'],
    ['no object', [], ''],
  ])('with %s is refused', async (_name, body, pointer) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ pointer }] });
    expect(asks).toHaveLength(0);
  });

  test('may have broken characters and NUL, which no model sees', async () => {
    const raw = '{"messages":[{"role":"user","content":"a\\ud800b\\u0000c \\ud83d\\ude00"}]}';
    const response = await fetch(new URL(chatPath, listener.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: raw,
    });
    expect(response.status).toBe(200);
    expect(lastAsked()?.messages[0]?.text).toBe('a\uFFFDb\uFFFDc \u{1F600}');
  });
});

describe('the conversation', () => {
  test("is kept under the client's own name of it, in all shapes", async () => {
    for (const body of [
      ui('x', 'my-chat'),
      { ...plain(), id: 'my-chat' },
      { ...plain(), threadId: 'my-chat', runId: 'r' },
    ]) {
      await (await post(body)).text();
      expect(lastAsked()?.conversationId).toBe('my-chat');
    }
    await (await post(ui('x', 'a\ud800\0'))).text();
    expect(lastAsked()?.conversationId).toBe('a\uFFFD\uFFFD');
    await (await post(plain())).text();
    expect(lastAsked()).not.toHaveProperty('conversationId');
  });
});

describe('the answer', () => {
  test('is a UI message stream: sources first, as a named event and as parts, then text', async () => {
    const response = await post(ui());
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    const all = await allFrames(response);
    expect(chunksOf(all).map(({ type }) => type)).toEqual([
      'start',
      'data-assistant_sources',
      'source-document',
      'source-document',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(all.at(-1)?.data).toBe('[DONE]');
    expect(all.filter(({ event }) => event !== null).map(({ event }) => event)).toEqual(['assistant_sources']);
    expect(chunksOf(all)[1]).toMatchObject({ id: 'sources', data: { sources: [{ sourceId: 'src_1', index: 1 }, {}] } });
    expect(chunksOf(all)[2]).toEqual({
      type: 'source-document',
      sourceId: 'src_1',
      mediaType: 'image/png',
      title: 'Invoice 1',
      filename: 'doc_1.png',
    });
    expect(textOf(all)).toBe('The total is 42.00 [1].');
  });

  test('is AG-UI events for a body with threadId and runId', async () => {
    const all = await allFrames(await post({ ...plain(), threadId: 't1', runId: 'r1' }));
    const events = chunksOf(all);
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'CUSTOM',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
    expect(events[0]).toMatchObject({ threadId: 't1', runId: 'r1' });
    expect(events[1]).toMatchObject({ name: 'assistant_sources', value: { sources: [{ index: 1 }, { index: 2 }] } });
    expect(events.at(-1)).toMatchObject({ result: { cited: [1], modelLabel: 'test/script' } });
  });

  test('without text told on the way is still given whole', async () => {
    answer = (ctx) => tellAnswer({ ...ctx, emit: () => undefined }, { deltas: ['Nothing was found.'], sources: [] });
    const all = await allFrames(await post(plain()));
    expect(textOf(all)).toBe('Nothing was found.');
    expect(chunksOf(all)[1]).toMatchObject({ type: 'data-assistant_sources', data: { sources: [] } });
  });

  test.each([
    [new AppError('document.not_found', 'No document.'), 404],
    [new AppError('model.failed', 'The model did not answer.'), 503],
    [new Error('connect to /secret/path failed'), 500],
  ])('that fails before its sources is a problem with a status: %s', async (error, status) => {
    answer = (ctx) => {
      ctx.emit?.({ type: 'begin', conversationId: 'chat_1', messageId: 'msg_1', modelLabel: 'x' });
      return Promise.reject(error);
    };
    const response = await post(ui('x', 'failing'));
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.text()).not.toContain('secret');
    expect(listener.answers.load).toEqual({ answers: 0, unread: 0, bytes: 0 });
  });

  test.each(['ui', 'ag-ui'])(
    'that fails later ends with an error that tells no more than it may (%s)',
    async (kind) => {
      answer = async (ctx) => {
        await tellAnswer(ctx, { deltas: ['The total'] });
        throw new Error('connect to mongodb://user:secret@db failed');
      };
      const response = await post({ ...plain(), ...(kind === 'ui' ? {} : { threadId: 't', runId: 'r' }) });
      expect(response.status).toBe(200);
      const all = await allFrames(response);
      const types = chunksOf(all).map(({ type }) => type);
      if (kind === 'ui') {
        expect(types.slice(-3)).toEqual(['text-end', 'finish-step', 'error']);
        expect(all.at(-1)?.data).toBe('[DONE]');
      } else expect(types.slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_ERROR']);
      expect(JSON.stringify(all)).not.toContain('secret');
    },
  );

  test.each(['/api/documents/chat', `${chatPath}?organizationId=`])('is given at %s, too', async (path) => {
    const at = path.endsWith('=') ? path + app.seed.organizationId : path;
    expect(textOf(await allFrames(await post(ui(), { path: at })))).toBe('The total is 42.00 [1].');
  });
});

describe('coming back', () => {
  const gated = () => {
    const gate = Promise.withResolvers<void>();
    answer = (ctx, { conversationId }) => tellAnswer(ctx, { gate: gate.promise }, conversationId);
    return gate;
  };
  const askAndLeave = async (id: string): Promise<any> =>
    JSON.parse((await firstFrame(await post(ui('What?', id)))).data);

  test.each(['chat name', 'stored id', 'proxied'])(
    'gives the answer from its begin, then as it is made (%s)',
    async (how) => {
      const gate = gated();
      const start = await askAndLeave('resumed');
      const name = how === 'stored id' ? start.messageMetadata.conversationId : 'resumed';
      const response = await resume(name, how === 'proxied' ? { path: '/api/documents/chat' } : {});
      expect(response.status).toBe(200);
      expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
      gate.resolve();
      const all = await allFrames(response);
      expect(chunksOf(all)[0]).toEqual(start);
      expect(textOf(all)).toBe('The total is 42.00 [1].');
      expect(asks).toHaveLength(1);
      expect(asks[0]?.ctx.signal.aborted).toBe(false);
      await expect.poll(() => listener.answers.load).toEqual({ answers: 0, unread: 0, bytes: 0 });
      expect((await resume('resumed')).status).toBe(204);
    },
  );

  test('gives an answer that ended meanwhile, once', async () => {
    const gate = gated();
    await askAndLeave('blip');
    await expect.poll(() => listener.answers.load.unread).toBe(1);
    gate.resolve();
    expect(textOf(await allFrames(await resume('blip')))).toBe('The total is 42.00 [1].');
    await expect.poll(async () => (await resume('blip')).status).toBe(204);
  });

  test('is 204 where nothing is made, and 404 for a conversation that is not the own', async () => {
    expect((await resume('never-heard-of')).status).toBe(204);
    const unknown = await resume(newId('conversation'));
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ code: 'conversation.not_found' });
    const { organizationId, operatorEmail } = app.seed;
    const now = new Date();
    const own = await app.app.deps.members.list(organizationId);
    const userId = own.find(({ email }) => email === operatorEmail)?.userId ?? '';
    const _id = newId('conversation');
    const record = { _id, organizationId, userId, title: 'x', scope: {}, createdAt: now, updatedAt: now };
    const said = { sources: [], modelLabel: null, status: 'complete', createdAt: now } as const;
    const question = { _id: 'q', role: 'user', text: 'x', ...said } as const;
    await app.app.deps.conversations.ask(record, question, 'answer');
    expect((await resume(_id)).status).toBe(204);
    expect((await resume(_id, { cookie: other.cookie })).status).toBe(404);
  });

  test("is for the owner alone: others' answers are not there", async () => {
    const gate = gated();
    const stored = newId('conversation');
    await askAndLeave('mine');
    await askAndLeave(stored);
    expect((await resume('mine', { cookie: other.cookie })).status).toBe(204);
    expect((await resume(stored, { cookie: other.cookie })).status).toBe(404);
    expect((await firstFrame(await resume(stored))).id).toMatch(/^msg_/);
    gate.resolve();
  });

  test('by itself, as an EventSource does, never asks again', async () => {
    const gate = gated();
    const { id } = await firstFrame(await post(ui('What?', 'es')));
    expect(id).toMatch(/^msg_/);
    const again = await post(ui('What?', 'es'), { headers: { 'last-event-id': id ?? '' } });
    gate.resolve();
    expect(textOf(await allFrames(again))).toBe('The total is 42.00 [1].');
    await expect
      .poll(async () => (await post(ui('What?', 'es'), { headers: { 'last-event-id': id ?? '' } })).status)
      .toBe(204);
    expect(asks).toHaveLength(1);
  });

  test('is over for the answer before, once the same chat asks anew', async () => {
    gated();
    await askAndLeave('twice');
    const before = asks[0]?.ctx.signal;
    await expect.poll(() => listener.answers.load.unread).toBe(1);
    answer = (ctx) => tellAnswer(ctx, { deltas: ['Second.'] });
    expect(textOf(await allFrames(await post(ui('Again?', 'twice'))))).toBe('Second.');
    await expect.poll(() => before?.aborted).toBe(true);
  });
});
