import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Sessions } from '#http/mcp/sessions.ts';
import { OpenStreams } from '#http/mcp/open-streams.ts';
import type { McpSession, SessionStart } from '#mcp/server/server-factory.ts';
import { legacyClient, listen, type Listener } from '#test/mcp/listener.ts';
import { memoryRecords } from '#test/mcp/transport/memory-records.ts';
import { callOf, initialize, modern, post } from '#test/mcp/raw.ts';
import { verifies } from '#test/support/verifies.ts';
import { sampleTools, waiting } from '#test/mcp/sample-tools.ts';

let at: Listener;
let authorization: string;
beforeAll(async () => {
  at = await listen(sampleTools);
  authorization = `Bearer ${at.secret}`;
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

afterEach(() => void vi.useRealTimers());

async function sessionOf(listener: Listener, secret = listener.secret) {
  const headers = { authorization: `Bearer ${secret}` };
  const reply = await post(listener, initialize('2025-11-25'), headers);
  return { ...headers, 'mcp-session-id': reply.headers.get('mcp-session-id') ?? 'none' };
}

describe('a session', () => {
  it('ends with DELETE and is 404 from then on', async () => {
    const headers = await sessionOf(at);
    expect((await fetch(at.url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await post(at, callOf('who'), headers)).status).toBe(404);
  });

  it('is asked for by name: without the header it is 400, with an unknown one 404', async () => {
    expect((await post(at, callOf('who'), { authorization })).status).toBe(400);
    expect((await post(at, callOf('who'), { authorization, 'mcp-session-id': crypto.randomUUID() })).status).toBe(404);
    expect((await fetch(at.url, { headers: { authorization, accept: 'text/event-stream' } })).status).toBe(400);
  });

  it('is refused from the next request on when its key is revoked', async () => {
    const secret = at.keys.add('service', 'key_revoked');
    const headers = await sessionOf(at, secret);
    expect((await post(at, callOf('who'), headers)).status).toBe(200);
    await at.keys.revoke('org_1', 'key_revoked', new Date());
    const reply = await post(at, callOf('who'), headers);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('lets a client come back for its event stream at once after hanging up', async () => {
    const headers = { ...(await sessionOf(at)), accept: 'text/event-stream' };
    const hangUp = new AbortController();
    const first = await fetch(at.url, { headers, signal: hangUp.signal });
    expect(first.status).toBe(200);
    expect((await fetch(at.url, { headers })).status).toBe(409);
    hangUp.abort();
    const again = async (): Promise<number> => {
      const reply = await fetch(at.url, { headers });
      await reply.body?.cancel();
      return reply.status;
    };
    await expect.poll(again, { timeout: 5_000, interval: 20 }).toBe(200);
  });

  it('passes a cancellation on to the tool', async () => {
    const { tool, started, gone } = waiting();
    await using other = await listen([tool]);
    const { client } = await legacyClient(other.url, other.secret);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'wait' }, undefined, { signal: cancel.signal });
    await started;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await gone;
    await client.close();
  });

  it('does not survive the app, and neither do its calls', async () => {
    const { tool, started, gone } = waiting();
    const other = await listen([tool]);
    const headers = await sessionOf(other);
    const call = post(other, callOf('wait'), headers).catch(() => null);
    await started;
    await other[Symbol.asyncDispose]();
    await gone;
    await call;
  });

  it('is not opened by a handshake that is refused', async () => {
    await using other = await listen(sampleTools, { sessionLimits: { idleMs: 60_000, max: 1, share: 1 } });
    const headers = await sessionOf(other);
    const refused = await post(other, [initialize('2025-11-25'), initialize('2025-11-25')], {
      authorization: headers.authorization,
      accept: 'application/json',
    });
    expect(refused.status).toBe(406);
    expect(refused.headers.get('mcp-session-id')).toBeNull();
  });
});

describe('an open stream', () => {
  const listen2026 = ({ url }: Listener, secret: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...modern('').headers,
        'mcp-method': 'subscriptions/listen',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${secret}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: modern('').body.params._meta },
      }),
    });

  it('ends when its credential does not open it any more, of either generation, and no other', async () => {
    await using other = await listen(sampleTools, { recheckMs: 20, capabilities: { tools: { listChanged: true } } });
    const doomed = other.keys.add('service', 'key_doomed');
    const of = async (secret: string): Promise<Response[]> => [
      await fetch(other.url, { headers: { ...(await sessionOf(other, secret)), accept: 'text/event-stream' } }),
      await listen2026(other, secret),
    ];
    const [ending, staying] = [await of(doomed), await of(other.secret)];
    for (const { status } of [...ending, ...staying]) expect(status).toBe(200);
    const reading = staying.map((stream) => stream.text());
    await other.keys.revoke('org_1', 'key_doomed', new Date());
    const [older, newer] = await Promise.all(ending.map((stream) => stream.text()));
    expect(older).toBe(': open\n\n');
    expect(newer).toContain('notifications/subscriptions/acknowledged');
    const still = await Promise.race([...reading, Promise.resolve('still open')]);
    expect(still).toBe('still open');
  });

  it('is not looked at any more once its client has gone', async () => {
    const streams = new OpenStreams({ logger: at.log, everyMs: 60_000 });
    let looks = 0;
    const credential = { name: 'one', isValid: async () => (looks += 1) > 0 };
    const stream = (): Response =>
      streams.guard(
        new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }),
        credential,
      );
    const both = [stream(), stream()];
    await streams.recheck();
    expect([streams.size, looks]).toEqual([1, 1]);
    for (const { body } of both) await body?.cancel();
    await streams.recheck();
    expect([streams.size, looks]).toEqual([0, 1]);
  });

  it('stays when its credential cannot be looked at, and ends with the next look', async () => {
    const streams = new OpenStreams({ logger: at.log, everyMs: 60_000 });
    const looks = [Promise.reject(new Error('no database')), Promise.resolve(false)];
    const body = new ReadableStream();
    const guarded = streams.guard(new Response(body, { headers: { 'content-type': 'text/event-stream' } }), {
      name: 'one',
      isValid: () => looks.shift() ?? Promise.resolve(true),
    });
    await streams.recheck();
    expect(streams.size).toBe(1);
    await streams.recheck();
    expect(streams.size).toBe(0);
    await expect(guarded.text()).rejects.toThrow('no longer valid');
  });
});

describe('the cap on sessions', () => {
  it('drops the one idle for longest', async () => {
    await using other = await listen(sampleTools, { sessionLimits: { idleMs: 60_000, max: 2, share: 10 } });
    const [first, second] = [await sessionOf(other), await sessionOf(other)];
    expect((await post(other, callOf('who'), first)).status).toBe(200);
    const third = await sessionOf(other);
    expect((await post(other, callOf('who'), second)).status).toBe(404);
    expect((await post(other, callOf('who'), first)).status).toBe(200);
    expect((await post(other, callOf('who'), third)).status).toBe(200);
  });

  it('drops one of the same credential at its limit: no credential takes the room of others', async () => {
    await using other = await listen(sampleTools, { sessionLimits: { idleMs: 60_000, max: 4, share: 2 } });
    const theirs = await sessionOf(other, other.keys.add('service', 'key_quiet'));
    const mine = [];
    for (let count = 0; count < 4; count += 1) mine.push(await sessionOf(other));
    expect((await post(other, callOf('who'), theirs)).status).toBe(200);
    const left = await Promise.all(mine.map((session) => post(other, callOf('who'), session)));
    expect(left.map(({ status }) => status)).toEqual([404, 404, 200, 200]);
  });

  verifies('mcp.sessions.replaced', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await using other = await listen(sampleTools, { sessionLimits: { idleMs: 3_600_000, max: 10, share: 3 } });
    const [working, listening] = [await sessionOf(other), await sessionOf(other)];
    const stream = await fetch(other.url, { headers: { ...listening, accept: 'text/event-stream' } });
    vi.advanceTimersByTime(40_000);
    expect((await post(other, callOf('who'), working)).status).toBe(200);
    vi.advanceTimersByTime(60_000);
    // A program opens a session for each call and leaves it: its own sessions make room for the next.
    const left = [];
    for (let count = 0; count < 3; count += 1) left.push(await sessionOf(other));
    for (const older of [working, listening]) expect((await post(other, callOf('who'), older)).status).toBe(200);
    const told = await post(other, callOf('who'), left[0]);
    expect([told.status, told.json]).toMatchObject([
      404,
      { error: { message: expect.stringMatching(/gave its place.*DELETE/) } },
    ]);
    const stranger = other.keys.add('service', 'key_stranger');
    const asked = await post(other, callOf('who'), { ...left[0], authorization: `Bearer ${stranger}` });
    expect(asked.json).toMatchObject({ error: { message: 'Session not found. Send initialize again.' } });
    await stream.body?.cancel();
  });

  it('never drops one with a call under way', async () => {
    const { tool, started } = waiting();
    await using other = await listen([tool], { sessionLimits: { idleMs: 60_000, max: 1, share: 1 } });
    const busy = await sessionOf(other);
    const call = post(other, callOf('wait'), busy).catch(() => null);
    await started;
    const refused = await post(other, initialize('2025-11-25'), { authorization: busy.authorization });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('60');
    await fetch(other.url, { method: 'DELETE', headers: busy });
    await call;
    expect((await sessionOf(other))['mcp-session-id']).not.toBe('none');
  });
});

describe('the idle limit', () => {
  it('closes an unused session', async () => {
    const closed = new EventTarget();
    const ended = once(closed, 'closed');
    const open = async ({ id, started }: SessionStart): Promise<McpSession> => ({
      async handle() {
        started();
        return new Response('{}', { headers: { 'mcp-session-id': id } });
      },
      tellChanges() {},
      close: async () => void closed.dispatchEvent(new Event('closed')),
    });
    const limits = { idleMs: 20, max: 10, share: 10 };
    const sessions = new Sessions(open, { ...memoryRecords(), limits, logger: at.log });
    const request = new Request(at.url, { method: 'POST' });
    await sessions.handle(
      request,
      { name: 'key_one', organizationId: 'org_1', projectIds: [], scopes: new Set() },
      { parsedBody: initialize('2025-11-25') },
    );
    expect(sessions.size).toBe(1);
    await ended;
    expect(sessions.size).toBe(0);
    await sessions.close();
  });
});
