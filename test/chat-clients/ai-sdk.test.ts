import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import type { Ask } from '#http/chat/stream-writer.ts';
import type { Asked } from '#http/chat/request.ts';
import type { ToolContext } from '#tools/define.ts';
import { aiSdks, readMessage, userMessage } from '#test/chat-clients/support/ai-sdk.ts';
import { chatPath, listenForChat, tellAnswer, type ChatListener } from '#test/chat-clients/support/chat-listener.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
let listener: ChatListener;
let answer: Ask;
let asks: { ctx: ToolContext; asked: Asked }[];
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  asks = [];
  answer = (ctx) => tellAnswer(ctx, {});
  listener = await listenForChat(app, (ctx, asked) => {
    asks.push({ ctx, asked });
    return answer(ctx, asked);
  });
});
afterEach(() => listener[Symbol.asyncDispose]());

const withCookie: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('cookie', cookie);
  return fetch(input, { ...init, headers });
};
describe.each(aiSdks)('the AI SDK %s', (_version, load) => {
  const client = async () => {
    const sdk = await load();
    const transport = new sdk.DefaultChatTransport({ api: listener.url + chatPath, fetch: withCookie });
    const read = (stream: ReadableStream, errors?: unknown[]): Promise<any> => readMessage(sdk, stream, errors);
    const send = (text: string, more: object = {}) =>
      transport.sendMessages({
        trigger: 'submit-message',
        chatId: 'chat name',
        messages: [userMessage(text)],
        abortSignal: undefined,
        ...more,
      });
    return { transport, read, send };
  };

  test('reads sources as data and as documents, and the text', async () => {
    const { read, send } = await client();
    const errors: unknown[] = [];
    const message = await read(await send('What is the total?', { body: { documentIds: ['doc_1'] } }), errors);
    expect(errors).toEqual([]);
    expect(asks[0]?.asked).toMatchObject({ messages: [{ text: 'What is the total?' }], documentIds: ['doc_1'] });
    expect(message).toMatchObject({
      role: 'assistant',
      id: expect.stringMatching(/^msg_/),
      metadata: { conversationId: expect.stringMatching(/^chat_/), modelLabel: 'test/script', cited: [1] },
      parts: [
        { type: 'data-assistant_sources', id: 'sources', data: { sources: [{ index: 1 }, { index: 2 }] } },
        { type: 'source-document', sourceId: 'src_1', mediaType: 'image/png', title: 'Invoice 1' },
        { type: 'source-document', sourceId: 'src_2' },
        { type: 'step-start' },
        { type: 'text', text: 'The total is 42.00 [1].', state: 'done' },
      ],
    });
    // The whole of it goes back with the next question.
    const next = await send('And who sent it?', {
      messages: [userMessage('x'), message, userMessage('And who sent it?')],
    });
    expect(await read(next)).toMatchObject({ role: 'assistant' });
    expect(asks[1]?.asked.messages.map(({ text }) => text)).toEqual([
      'x',
      'The total is 42.00 [1].',
      'And who sent it?',
    ]);
    expect(asks.map(({ asked }) => asked.conversationId)).toEqual(['chat name', 'chat name']);
  });

  test('hears of a failure on the way, with the text so far', async () => {
    answer = async (ctx) => {
      await tellAnswer(ctx, { deltas: ['The total'] });
      throw new AppError('model.failed', 'The model broke off.');
    };
    const { read, send } = await client();
    const errors: unknown[] = [];
    const message = await read(await send('x'), errors);
    expect(errors.map(String)).toEqual([expect.stringContaining('The model broke off.')]);
    expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: 'The total', state: 'done' });
  });

  test('comes back to an answer that is being made, and to nothing where there is none', async () => {
    const gate = Promise.withResolvers<void>();
    answer = (ctx) => tellAnswer(ctx, { gate: gate.promise });
    const { transport, read, send } = await client();
    expect(await transport.reconnectToStream({ chatId: 'chat name' })).toBeNull();
    const leaving = new AbortController();
    await send('x', { abortSignal: leaving.signal });
    leaving.abort();
    const again = await transport.reconnectToStream({ chatId: 'chat name' });
    gate.resolve();
    const message = await read(again ?? new ReadableStream());
    expect(message.parts.at(-1)).toMatchObject({ text: 'The total is 42.00 [1].' });
    expect(asks).toHaveLength(1);
  });

  test('fails with the words of the problem when there is no answer', async () => {
    answer = () => Promise.reject(new AppError('document.not_found', 'There is no document doc_9.'));
    const { send } = await client();
    await expect(send('x')).rejects.toThrow(/There is no document doc_9/);
  });
});
