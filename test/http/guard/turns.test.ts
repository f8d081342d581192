import { once } from 'node:events';
import { Agent, IncomingMessage, request as httpRequest, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import express from 'express';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { LimitLog } from '#http/guard/limit-log.ts';
import { Pace } from '#http/guard/pace.ts';
import { Strangers, welcome } from '#http/guard/strangers.ts';
import { Turns } from '#http/guard/turns.ts';
import { problems } from '#http/problem.ts';
import { requestId } from '#http/base-app.ts';
import { LogBook } from '#test/mcp/listener.ts';

const log = new LogBook();
const strangers = new Strangers({ trusts: () => false, perSecond: 20, connections: null, log: new LimitLog(log) });
/** Requests that the handler has begun and not answered, by name of the caller. */
const open = new Map<string, (() => void)[]>();
const app = express().use(requestId, strangers.handler, (request, response) => {
  const caller = request.get('x-api-key') ?? '';
  if (request.path !== '/nowhere' && caller !== '') welcome(response, caller);
  if (request.path !== '/slow') return void response.end('now');
  open.set(caller, [...(open.get(caller) ?? []), () => void response.end('later')]);
});
app.use(problems(log));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const agent = new Agent({ keepAlive: true });
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  agent.destroy();
  server.close();
  await once(server, 'close');
});

/** `key`: empty for a request without a credential. */
async function get(path: string, key: string): Promise<IncomingMessage> {
  const asked = httpRequest({ port, path, agent, headers: key === '' ? {} : { 'x-api-key': key } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}
/** True while the promise has not settled after the next turns of a request of another caller. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => (settled = true));
  for (let turn = 0; turn < 5; turn += 1) expect((await get('/', 'neighbour')).statusCode).toBe(200);
  return !settled;
}

describe('Requests of one caller', () => {
  test('begin in turns of sixteen, and those of others come between', async () => {
    await get('/', 'busy');
    // No turn ends by itself.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const all = Promise.all(Array.from({ length: 64 }, () => get('/slow', 'busy')));
    const begun: number[] = [];
    for (let answered = 0; answered < 64;) {
      expect(await isOpen(all)).toBe(true);
      const answers = open.get('busy')?.splice(0) ?? [];
      begun.push(answers.length);
      for (const answer of answers) answer();
      answered += answers.length;
    }
    vi.useRealTimers();
    expect((await all).map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 64 }, () => 200));
    expect(Math.max(...begun)).toBe(16);
  });

  test('without a credential begin in turns of two', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const all = Promise.all(Array.from({ length: 10 }, () => get('/slow', '')));
    const begun: number[] = [];
    for (let answered = 0; answered < 10;) {
      expect(await isOpen(all)).toBe(true);
      // The pause between two turns, no longer than that: no turn ends by itself.
      vi.advanceTimersByTime(5);
      expect(await isOpen(all)).toBe(true);
      const answers = open.get('')?.splice(0) ?? [];
      begun.push(answers.length);
      for (const answer of answers) answer();
      answered += answers.length;
    }
    vi.useRealTimers();
    await all;
    expect(Math.max(...begun)).toBe(2);
  });

  test('get the turn of another one in the next round of the event loop', async () => {
    const turns = new Turns();
    const responses = Array.from({ length: 6 }, () => new ServerResponse(new IncomingMessage(new Socket())));
    const begun: number[] = [];
    const taken = responses.map(async (response, at) => {
      await turns.take('rounds', response, { atOnce: 1, pauseMs: 0 });
      begun.push(at);
      // A response that is sent at once, as refusals are.
      response.emit('close');
    });
    const rounds: number[] = [];
    while (begun.length < 6) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      rounds.push(begun.length);
    }
    await Promise.all(taken);
    expect(rounds.slice(-5)).toEqual([2, 3, 4, 5, 6]);
  });

  test('that wait and are given up leave the queue', async () => {
    const turns = new Turns();
    const responses = Array.from({ length: 40 }, () => new ServerResponse(new IncomingMessage(new Socket())));
    const taken = responses.map((response) => turns.take('leaves', response));
    for (const response of responses.toReversed()) response.emit('close');
    await Promise.all(taken);
    await expect.poll(() => turns.size).toBe(0);
  });

  test('are refused when 500 of them wait', async () => {
    const turns = new Turns();
    const taken = Array.from({ length: 517 }, () =>
      turns.take('pipelines', new ServerResponse(new IncomingMessage(new Socket()))),
    );
    await expect(taken.at(-1)).rejects.toMatchObject({ code: 'request.rate_limited' });
  });

  test('that take long do not stop the next ones', async () => {
    const all = Array.from({ length: 33 }, () => get('/slow', 'streams'));
    await expect.poll(() => open.get('streams')?.length).toBe(33);
    for (const answer of open.get('streams') ?? []) answer();
    await Promise.all(all);
  });

  test('wait for their refusal when they flood, and learn how long is left', async () => {
    await get('/', 'flood');
    // The limit is 40 in 2 s, and every request over twice the limit is a flood.
    const answers = await Promise.all(Array.from({ length: 80 }, () => get('/nowhere', 'flood')));
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(40);
    const refused = get('/nowhere', 'flood');
    expect(await isOpen(refused)).toBe(true);
    const { statusCode, headers } = await refused;
    expect([statusCode, headers['retry-after']]).toEqual([429, '1']);
  });

  test('get the refusals of a flood one after the other', () => {
    const pace = new Pace(10);
    const ofOneMoment = Array.from({ length: 4 }, () => pace.take(1_000, 500));
    expect(ofOneMoment).toEqual([500, 510, 520, 530]);
    expect([pace.take(1_535, 2), pace.take(5_000, 500)]).toEqual([5, 500]);
    // Callers that leave without waiting make nobody else wait for ever.
    for (let n = 0; n < 10_000; n += 1) pace.take(9_000, 500);
    expect(pace.take(9_000, 500)).toBeLessThanOrEqual(2_500);
  });
});
