import { Window } from 'happy-dom';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import type { Ask } from '#http/chat/stream-writer.ts';
import type { ToolContext } from '#tools/define.ts';
import { chatPath, listenForChat, tellAnswer, type ChatListener } from '#test/chat-clients/support/chat-listener.ts';
import { documentRecord } from '#test/support/records.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

// React looks for its document when it is loaded.
const page = new Window({ url: 'http://127.0.0.1/' });
vi.stubGlobal('window', page);
vi.stubGlobal('document', page.document);
vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
const { act, createElement } = await import('react');
const { createRoot } = await import('react-dom/client');
const { useChat } = await import('@ai-sdk/react');
const { DefaultChatTransport } = await import('ai');

let app: TestApp;
let cookie: string;
let listener: ChatListener | undefined;
let signals: AbortSignal[] = [];
let answer: Ask = (ctx) => tellAnswer(ctx, {});
const ask: Ask = (ctx: ToolContext, asked) => {
  signals.push(ctx.signal);
  return answer(ctx, asked);
};
const unmount: (() => Promise<void>)[] = [];

beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
});
afterEach(async () => {
  for (const one of unmount.splice(0)) await one();
  signals = [];
  await listener?.[Symbol.asyncDispose]();
  listener = undefined;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await page.happyDOM.close();
});

const withCookie: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('cookie', cookie);
  return fetch(input, { ...init, headers });
};

/** A page with a chat: what a person sees, and what the page may do. */
async function openPage(id: string, { resume = false, url = listener?.url ?? '' } = {}) {
  const transport = new DefaultChatTransport({ api: url + chatPath, fetch: withCookie });
  const held: { chat: ReturnType<typeof useChat> | null } = { chat: null };
  const Chat = () => {
    const chat = useChat({ id, transport, resume });
    held.chat = chat;
    const parts = chat.messages.flatMap((message) =>
      message.parts.map((part, index) => {
        const key = `${message.id}-${index}`;
        if (part.type === 'text') return createElement('p', { key, className: message.role }, part.text);
        if (part.type === 'source-document') return createElement('li', { key }, part.title);
        return part.type === 'data-assistant_sources' ? createElement('b', { key }, JSON.stringify(part.data)) : null;
      }),
    );
    const error = chat.error === undefined ? null : createElement('strong', null, chat.error.message);
    return createElement('main', { 'data-status': chat.status }, ...parts, error);
  };
  const container = page.document.createElement('div');
  page.document.body.append(container);
  const root = createRoot(container);
  unmount.push(() => act(async () => root.unmount()));
  await act(async () => root.render(createElement(Chat)));
  const all = (selector: string) => [...container.querySelectorAll(selector)].map((node) => node.textContent);
  return {
    all,
    status: () => container.querySelector('main')?.getAttribute('data-status'),
    send: (text: string) => act(async () => held.chat?.sendMessage({ text })),
    /** Without waiting for the answer's end. */
    begin: (text: string) => void held.chat?.sendMessage({ text }),
    stop: () => act(async () => held.chat?.stop()),
    /** Until what arrives by itself, outside of every act, shows. */
    async settle(done: () => unknown) {
      vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
      await expect.poll(done).toBeTruthy();
      vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    },
  };
}

test('a page with useChat shows sources and text, and goes on with the conversation', async () => {
  const conversations: (string | undefined)[] = [];
  answer = (ctx, { conversationId }) => {
    conversations.push(conversationId);
    return tellAnswer(ctx, {}, conversationId);
  };
  listener = await listenForChat(app, ask);
  const { all, send, status } = await openPage('a');
  await send('What is the total?');
  expect(status()).toBe('ready');
  expect(all('p')).toEqual(['What is the total?', 'The total is 42.00 [1].']);
  expect(all('li')).toEqual(['Invoice 1', 'Invoice 2']);
  expect(JSON.parse(all('b')[0] ?? '')).toMatchObject({
    sources: [{ sourceId: 'src_1', excerpts: [{ field: 'ocr' }] }, {}],
  });
  await send('Who sent it?');
  expect(all('p')).toHaveLength(4);
  expect(conversations).toEqual(['a', 'a']);
});

test('a page with useChat at the address of the service itself shows what the documents say', async () => {
  const { organizationId, projectId } = app.seed;
  const { documents, results, search } = app.app.deps;
  const text = 'Walnut Lane Joinery\nTotal due EUR 870.72';
  const document = documentRecord({ organizationId, projectId });
  const { _id: documentId, objectKey, createdAt, visibility } = document;
  await documents.insert(document);
  const origin = { organizationId, projectId, documentId, runId: 'run_a', nodeId: 'ocr' };
  const result = { engine: 'e', language: 'eng', pages: [] };
  await results.saveOcr(origin, { modelLabel: 'm', text, avgConfidence: 90, result });
  const place = { documentId, organizationId, projectId, apiKeyId: null, visibility, objectKey, createdAt };
  const nothing = { title: '', description: '', segmentationText: '', identifiers: [], embeddings: {} };
  await search.upsert({ ...place, ...nothing, ocrText: text });
  const { all, send, status } = await openPage('real', { url: app.addresses.api });
  await send('What is the total due at Walnut Lane?');
  expect(status()).toBe('ready');
  expect(all('p')[1]).toContain('Total due EUR 870.72');
  expect(JSON.parse(all('b')[0] ?? '')).toMatchObject({ sources: [{ documentId, excerpts: [{ verified: true }] }] });
  expect(all('li')).toHaveLength(1);
});

test('a problem becomes its error state, and the next question may succeed', async () => {
  answer = () => Promise.reject(new AppError('document.not_found', 'There is no document doc_9.'));
  listener = await listenForChat(app, ask);
  const { all, send, status } = await openPage('b');
  await send('What?');
  expect(status()).toBe('error');
  expect(all('strong')[0]).toContain('There is no document doc_9.');
  answer = (ctx) => tellAnswer(ctx, {});
  await send('What now?');
  expect([status(), all('strong')]).toEqual(['ready', []]);
});

test('a failure on the way becomes its error state, with the text so far', async () => {
  answer = async (ctx) => {
    await tellAnswer(ctx, { deltas: ['The total'] });
    throw new AppError('model.failed', 'The model broke off.');
  };
  listener = await listenForChat(app, ask);
  const { all, send, status } = await openPage('c');
  await send('What?');
  expect([status(), all('p.assistant'), all('strong')]).toEqual(['error', ['The total'], ['The model broke off.']]);
});

test('stop ends the call', async () => {
  answer = (ctx) => tellAnswer(ctx, { gate: new Promise(() => undefined) });
  listener = await listenForChat(app, ask, { graceMs: 0 });
  const { all, begin, settle, stop, status } = await openPage('d');
  begin('What?');
  await settle(() => all('li').length === 2);
  expect(signals[0]?.aborted).toBe(false);
  await stop();
  await expect.poll(() => signals[0]?.aborted).toBe(true);
  expect(status()).toBe('ready');
});

test('a page that is opened anew resumes the answer that is being made', async () => {
  const gate = Promise.withResolvers<void>();
  answer = (ctx) => tellAnswer(ctx, { gate: gate.promise });
  listener = await listenForChat(app, ask);
  const first = await openPage('e');
  first.begin('What?');
  await first.settle(() => first.all('li').length === 2);
  await first.stop();
  const second = await openPage('e', { resume: true });
  await second.settle(() => second.all('li').length === 2);
  gate.resolve();
  await second.settle(() => second.status() === 'ready');
  expect(second.all('p.assistant')).toEqual(['The total is 42.00 [1].']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  const third = await openPage('e', { resume: true });
  await third.settle(() => third.status() === 'ready');
  expect(third.all('strong')).toEqual([]);
});
