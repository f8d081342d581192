import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import express, { type Response } from 'express';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAgUiStream, createUiStream } from '#http/chat/wire.ts';
import { AnswerRegistry, answersDefaults } from '#http/chat/answer-registry.ts';
import { deliver, type LiveAnswer } from '#http/chat/live-answer.ts';
import { AnswerStreamWriter } from '#http/chat/stream-writer.ts';
import { sourceCard } from '#test/chat-clients/support/chat-listener.ts';
import { allFrames, chunksOf, textOf } from '#test/chat-clients/support/frames.ts';

/** Its only reader leaves. */
const drop = (answers: AnswerRegistry, answer: LiveAnswer): void => answers.attach(answer)(true);
const facts = { certainty: 'likely', notice: null } as const;
const begin = { type: 'begin', conversationId: 'chat_1', messageId: 'msg_1', modelLabel: 'm' } as const;

describe('an answer without a reader', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const answersOf = (more: object = {}) => new AnswerRegistry({ ...answersDefaults, ...more });

  test('is aborted after the grace, and not before', () => {
    const answers = answersOf();
    const answer = answers.open('me', 'chat', {}, true);
    answers.attach(answer)(false);
    vi.advanceTimersByTime(9_999);
    expect([answer.signal.aborted, answers.find('me', 'chat')]).toEqual([false, answer]);
    vi.advanceTimersByTime(1);
    expect([answer.signal.aborted, answers.find('me', 'chat')]).toEqual([true, null]);
    expect(answers.load).toEqual({ answers: 0, unread: 0, bytes: 0 });
  });

  test('goes on when a reader came back in time', () => {
    const answers = answersOf();
    const answer = answers.open('me', 'chat', {}, true);
    answers.attach(answer)(false);
    vi.advanceTimersByTime(5_000);
    const leave = answers.attach(answer);
    vi.advanceTimersByTime(60_000);
    expect(answer.signal.aborted).toBe(false);
    leave(false);
    leave(false);
    vi.advanceTimersByTime(10_000);
    expect(answer.signal.aborted).toBe(true);
  });

  test.each([
    ['its chat has no name to come back by', false, 10_000],
    ['there is no grace', true, 0],
  ])('is aborted at once when %s', (_why, resumable, graceMs) => {
    const answers = answersOf({ graceMs });
    const answer = answers.open('me', 'chat', {}, resumable);
    const [one, two] = [answers.attach(answer), answers.attach(answer)];
    one(false);
    expect(answer.signal.aborted).toBe(false);
    two(false);
    expect(answer.signal.aborted).toBe(true);
  });

  test('is given up for the next one of its chat, but not taken from a reader', () => {
    const answers = answersOf();
    const first = answers.open('me', 'chat', {}, true);
    const leave = answers.attach(first);
    const second = answers.open('me', 'chat', {}, true);
    expect([first.signal.aborted, answers.find('me', 'chat')]).toEqual([false, second]);
    leave(false);
    expect(first.signal.aborted).toBe(true);
    expect(answers.find('me', 'chat')).toBe(second);
  });

  test('ends with the process, in words for those who read', () => {
    const answers = answersOf();
    const [read, unread] = [answers.open('a', 'x', {}, true), answers.open('b', 'y', {}, true)];
    const leave = answers.attach(read);
    answers.close();
    expect([read.signal.aborted, read.over, unread.signal.aborted, unread.over]).toEqual([true, false, true, true]);
    expect(read.signal.reason).toMatchObject({ code: 'service.unavailable' });
    leave(false);
    expect(answers.load).toEqual({ answers: 0, unread: 0, bytes: 0 });
  });
});

describe('bounds', () => {
  test('one user has at most ten answers at once, and all have at most so many', () => {
    const answers = new AnswerRegistry({ ...answersDefaults, most: 12 });
    const first = answers.open('me', null, {}, false);
    for (let more = 1; more < 10; more += 1) answers.open('me', null, {}, false);
    expect(() => answers.open('me', null, {}, false)).toThrow(/request.rate_limited/);
    answers.open('b', null, {}, false);
    answers.open('c', null, {}, false);
    expect(() => answers.open('d', null, {}, false)).toThrow(/service.unavailable/);
    drop(answers, first);
    expect(answers.open('me', null, {}, false)).toBeDefined();
  });

  test.each([
    ['for itself', { answerBytes: 10_000 }],
    ['for all together', { totalBytes: 10_000 }],
  ])('an answer that becomes too long %s is ended in words, and its making aborted', (_what, limits) => {
    const answers = new AnswerRegistry({ ...answersDefaults, ...limits });
    const answer = answers.open('me', null, {}, false);
    const teller = new AnswerStreamWriter(answer, createUiStream());
    teller.write(begin);
    teller.write({ type: 'sources', sources: [] });
    for (let told = 0; told < 100; told += 1) teller.write({ type: 'text', delta: 'x'.repeat(1_000) });
    expect(answer.signal.aborted).toBe(true);
    expect(answers.load.bytes).toBeLessThanOrEqual(10_000);
    teller.fail(answer.signal.reason as never);
    expect(answer.read(0).text).toContain('exceeded the maximum length');
    drop(answers, answer);
    expect(answers.load.bytes).toBe(0);
  });
});

test('whatever an answer says, its frames are the ones that were meant', async () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      'a',
      '\n',
      '\r',
      '\n\nevent: x\ndata: {}\n\n',
      '\u2028',
      '\u0085',
      ':',
      '\ud83d',
      '\ude00',
      '\0',
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        nasty.filter((text) => text !== ''),
        { minLength: 1 },
      ),
      nasty,
      async (deltas, title) => {
        for (const wire of [createUiStream(), createAgUiStream({ threadId: title, runId: title })]) {
          const card = sourceCard(1, { title, description: title });
          const end = { ...begin, answerText: '', sources: [card], cited: [], ...facts, unverifiedQuotes: [] };
          const parts = [
            wire.begin(begin),
            wire.sources([card]),
            ...deltas.map((one) => wire.text(one)),
            wire.end(end),
          ];
          const all = await allFrames(new Response(parts.join('')));
          const chunks = chunksOf(all);
          expect(all.filter(({ event }) => event !== null && event !== 'assistant_sources')).toEqual([]);
          const said = chunks.filter(({ delta }) => delta !== undefined).map(({ delta }) => delta as string);
          expect(said).toEqual(deltas);
          expect(parts.join('')).not.toMatch(/[\r\u0085\u2028\u2029]/);
        }
      },
    ),
    { numRuns: 60 },
  );
});

describe('a reader', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** `stalls`: how long each reader, as they come, may take nothing. */
  async function serve(...stalls: number[]) {
    const answers = new AnswerRegistry({ ...answersDefaults, answerBytes: 64 * 1024 * 1024 });
    const answer = answers.open('me', null, {}, false);
    const teller = new AnswerStreamWriter(answer, createUiStream());
    const come = Promise.withResolvers<{ response: Response; gotAll: Promise<boolean> }>();
    const app = express();
    app.get('/', (_request, response) => {
      const stallMs = stalls.shift() ?? 30_000;
      come.resolve({ response, gotAll: deliver(answer, response, { pingMs: 5, stallMs }) });
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    teller.write(begin);
    return { answer, answers, teller, port, come: come.promise };
  }
  const silent = (port: number): void => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  };

  test('that never reads costs a buffer of some 64 KiB, and is dropped; another gets everything', async () => {
    const { answer, answers, teller, port, come } = await serve(200);
    silent(port);
    const { response, gotAll } = await come;
    const other = fetch(`http://127.0.0.1:${port}/`);
    let most = 0;
    // More than the system's own buffers hold.
    for (let told = 0; told < 1_000; told += 1) {
      teller.write({ type: 'text', delta: 'y'.repeat(32_000) });
      most = Math.max(most, response.writableLength);
      await new Promise((resolve) => setImmediate(resolve));
    }
    answer.finish();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(200_000);
    expect(textOf(await allFrames(await other))).toHaveLength(32_000_000);
    expect(await gotAll).toBe(false);
    expect(response.destroyed).toBe(true);
    drop(answers, answer);
    expect(answers.load).toEqual({ answers: 0, unread: 0, bytes: 0 });
  });

  test('hears pings between frames, which no client takes for one', async () => {
    const { teller, port } = await serve();
    const response = await fetch(`http://127.0.0.1:${port}/`);
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes(': ping\n\n: ping\n\n')) {
        teller.write({ type: 'text', delta: 'after' });
        teller.end({ ...begin, answerText: 'after', sources: [], cited: [], ...facts, unverifiedQuotes: [] });
      }
    }
    expect(textOf(await allFrames(new Response(text)))).toBe('after');
  });
});
