import { HttpAgent } from '@ag-ui/client';
import { EventSource } from 'eventsource';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import type { Ask } from '#http/chat/stream-writer.ts';
import type { Asked } from '#http/chat/request.ts';
import type { ToolContext } from '#tools/define.ts';
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

describe('the AG-UI client', () => {
  const agentOf = (): HttpAgent =>
    new HttpAgent({ url: listener.url + chatPath, headers: { cookie }, threadId: 'thread-1' });
  const ask = (agent: HttpAgent, content: string): void => {
    agent.addMessage({ id: `q${agent.messages.length}`, role: 'user', content });
  };

  test('runs through an answer: sources as a custom event, then one message', async () => {
    const agent = agentOf();
    const heard: unknown[] = [];
    ask(agent, 'What is the total?');
    const { result, newMessages } = await agent.runAgent(
      { forwardedProps: { projectIds: ['prj_1'] } },
      { onCustomEvent: ({ event }) => void heard.push(event) },
    );
    expect(heard).toMatchObject([{ name: 'assistant_sources', value: { sources: [{ index: 1 }, { index: 2 }] } }]);
    expect(newMessages).toMatchObject([{ role: 'assistant', content: 'The total is 42.00 [1].' }]);
    expect(result).toMatchObject({ cited: [1], modelLabel: 'test/script' });
    expect(asks[0]?.asked).toMatchObject({ projectIds: ['prj_1'], messages: [{ text: 'What is the total?' }] });
    ask(agent, 'And who sent it?');
    await agent.runAgent();
    expect(asks[1]?.asked.messages.map(({ text }) => text)).toEqual([
      'What is the total?',
      'The total is 42.00 [1].',
      'And who sent it?',
    ]);
    expect(asks[1]?.asked.conversationId).toBe('thread-1');
  });

  test('hears of a failure on the way, and of one before it', async () => {
    const complaint = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    answer = async (ctx) => {
      await tellAnswer(ctx, { deltas: ['The total'] });
      throw new AppError('model.failed', 'The model broke off.');
    };
    const agent = agentOf();
    ask(agent, 'x');
    const failures: unknown[] = [];
    await agent.runAgent({}, { onRunErrorEvent: ({ event }) => void failures.push(event) }).catch(() => undefined);
    expect(failures).toMatchObject([{ message: 'The model broke off.', code: 'model.failed' }]);
    answer = () => Promise.reject(new AppError('project.not_found', 'There is no project prj_9.'));
    ask(agent, 'y');
    await expect(agent.runAgent()).rejects.toThrow(/404.*There is no project prj_9/s);
    complaint.mockRestore();
  });

  test('ends the model call when it is aborted', async () => {
    answer = (ctx) => tellAnswer(ctx, { gate: new Promise(() => undefined) });
    const agent = agentOf();
    ask(agent, 'x');
    const run = agent.runAgent({}, { onCustomEvent: () => agent.abortRun() });
    await run.catch(() => undefined);
    await expect.poll(() => asks[0]?.ctx.signal.aborted).toBe(true);
  });
});

test('a plain EventSource hears assistant_sources, then the text, and never asks twice', async () => {
  const body = JSON.stringify({ id: 'plain', messages: [{ role: 'user', content: 'What is the total?' }] });
  const statuses: number[] = [];
  const source = new EventSource(listener.url + chatPath, {
    async fetch(input, init) {
      const headers = { ...init.headers, cookie, 'content-type': 'application/json' };
      const response = await fetch(input, { ...init, headers, method: 'POST', body });
      statuses.push(response.status);
      return response;
    },
  });
  const closed = Promise.withResolvers<void>();
  const named: any[] = [];
  let text = '';
  source.addEventListener('assistant_sources', ({ data }) => named.push(JSON.parse(data)));
  source.addEventListener('message', ({ data }) => {
    const chunk = data === '[DONE]' ? {} : JSON.parse(data);
    if (chunk.type === 'text-delta') text += chunk.delta;
  });
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) closed.resolve();
  });
  // It comes back by itself after the end, and is told that there is no more.
  await closed.promise;
  expect(statuses).toEqual([200, 204]);
  expect(named).toMatchObject([{ type: 'data-assistant_sources', data: { sources: [{ index: 1 }, { index: 2 }] } }]);
  expect(text).toBe('The total is 42.00 [1].');
  expect(asks).toHaveLength(1);
});
