import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Principal } from '#src/domain/access/principal.ts';
import type { OAuthParts } from '#http/mcp/endpoint.ts';
import { sessionLimits } from '#http/mcp/sessions.ts';
import { KeyRing, listen, type Listener } from '#test/mcp/listener.ts';
import { memoryRecords } from '#test/mcp/transport/memory-records.ts';
import { callOf, initialize, post, type RawReply } from '#test/mcp/raw.ts';
import { sampleTools, waiting } from '#test/mcp/sample-tools.ts';
import { verifies } from '#test/support/verifies.ts';

afterEach(() => void vi.useRealTimers());

/** Access tokens, and whom they stand for. */
const people = new Map<string, Principal>();
function personOf(token: string, change: Partial<Principal> = {}): { authorization: string } {
  people.set(token, {
    kind: 'oauth',
    actorId: 'usr_ann',
    actorName: 'Ann',
    keyId: null,
    session: null,
    grant: { id: `grant of ${token}`, clientId: 'client_desk', person: true },
    organizationId: 'org_1',
    projectIds: ['prj_1', 'prj_2'],
    scopes: new Set(['documents:read', 'runs:read']),
    agentGraphId: null,
    ...change,
  });
  return { authorization: `Bearer ${token}` };
}
const oauth: OAuthParts = {
  tokens: { byToken: async (token) => people.get(token) ?? null },
  resource: () => 'http://127.0.0.1/mcp',
  issuer: () => 'http://127.0.0.1',
  serverMetadata: () => null,
};

type Shared = Pick<NonNullable<Parameters<typeof listen>[1]>, 'keys' | 'sessionRecords' | 'sessionLimits'>;
/** Parts that processes of one installation share. */
const shared = (): Required<Pick<Shared, 'keys' | 'sessionRecords'>> => ({
  keys: new KeyRing(),
  sessionRecords: memoryRecords(),
});
const start = (parts: Shared, tools = sampleTools): Promise<Listener> => listen(tools, { oauth, ...parts });

type Headers = Readonly<Record<string, string>>;
async function open(at: Listener, who: Headers): Promise<Headers> {
  const reply = await post(at, initialize('2025-11-25'), who);
  return { ...who, 'mcp-session-id': reply.headers.get('mcp-session-id') ?? 'none' };
}
const statusOf = async (at: Listener, headers: Headers): Promise<number> =>
  (await post(at, callOf('who'), headers)).status;
const end = async (at: Listener, headers: Headers): Promise<number> =>
  (await fetch(at.url, { method: 'DELETE', headers })).status;
const keyOf = ({ secret }: Listener): Headers => ({ authorization: `Bearer ${secret}` });

describe('a session that another process opened', () => {
  it('is served with its revision, and asked for in the store once', async () => {
    const parts = shared();
    const find = vi.spyOn(parts.sessionRecords.mcpSessions, 'find');
    await using first = await start(parts);
    await using second = await start(parts);
    const session = await open(first, keyOf(first));
    // A client sends its stream and its next call together.
    const both = [post(second, callOf('who'), session), post(second, callOf('who', {}, 3), session)];
    for (const { status, headers } of await Promise.all(both)) {
      expect(status).toBe(200);
      expect(headers.get('mcp-session-id')).toBe(session['mcp-session-id']);
    }
    expect(await statusOf(first, session)).toBe(200);
    expect(await statusOf(second, session)).toBe(200);
    expect(find).toHaveBeenCalledOnce();
  });

  it('goes on with the next token of its program, and with more rights', async () => {
    const parts = shared();
    await using first = await start(parts);
    await using second = await start(parts);
    const session = await open(first, personOf('one'));
    const wider = personOf('two', { projectIds: ['prj_3', 'prj_2', 'prj_1'] });
    expect(await statusOf(second, { ...session, ...wider })).toBe(200);
  });

  it('answers 503 while the store does not', async () => {
    const parts = shared();
    await using first = await start(parts);
    await using second = await start(parts);
    const session = await open(first, keyOf(first));
    const outage = Object.assign(new Error('no server'), { name: 'MongoServerSelectionError' });
    const find = vi.spyOn(parts.sessionRecords.mcpSessions, 'find').mockRejectedValue(outage);
    const refused = await post(second, callOf('who'), session);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    find.mockRestore();
    expect(await statusOf(second, session)).toBe(200);
  });
});

verifies('mcp.sessions.own', async () => {
  const parts = shared();
  await using first = await start(parts);
  await using second = await start(parts);
  await using elsewhere = await start({ ...parts, sessionRecords: memoryRecords() });
  const mine = personOf('mine');
  const session = await open(first, mine);
  const id = session['mcp-session-id'] ?? '';
  const unknown = await post(second, callOf('who'), { ...mine, 'mcp-session-id': crypto.randomUUID() });
  expect(unknown.status).toBe(404);
  const bytes = Buffer.from(id, 'base64url');
  const changed = [...bytes.keys()].map((at) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy.toString('base64url');
  });
  // Other texts of the same bytes, parts of it, and more of it.
  const texts = [
    `${id}=`,
    `${id.slice(0, 9)}!${id.slice(9)}`,
    id.slice(0, -2),
    `${id}AAAA`,
    id.slice(4),
    id + id,
    'A',
    '-',
  ];
  const others = [
    personOf('other-program', { grant: { id: 'grant_2', clientId: 'client_other', person: true } }),
    personOf('other-person', { actorId: 'usr_bob' }),
    personOf('other-organization', { organizationId: 'org_2' }),
    personOf('fewer-projects', { projectIds: ['prj_1'] }),
    personOf('fewer-scopes', { scopes: new Set(['documents:read']) }),
    keyOf(second),
  ];
  const replies: RawReply[] = [];
  for (const forged of [...changed, ...texts])
    replies.push(await post(second, callOf('who'), { ...session, 'mcp-session-id': forged }));
  for (const other of others) {
    replies.push(await post(second, callOf('who'), { ...session, ...other }));
    expect(await end(second, { ...session, ...other })).toBe(404);
  }
  replies.push(await post(elsewhere, callOf('who'), session));
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set([`404 ${unknown.text}`]));
  expect(await statusOf(second, session)).toBe(200);
});

describe('what has ended', () => {
  it('stays so in every process', async () => {
    const parts = shared();
    const limits = { ...sessionLimits, idleMs: 400 };
    await using first = await start(parts);
    await using second = await start({ ...parts, sessionLimits: limits });
    await using third = await start(parts);
    const [here, there] = [await open(first, keyOf(first)), await open(first, keyOf(first))];
    expect(await statusOf(second, here)).toBe(200);
    expect(await end(first, here)).toBe(200);
    // The process where it was in use hears of it with its next look.
    await expect.poll(() => statusOf(second, here), { interval: 20 }).toBe(404);
    expect(await statusOf(third, here)).toBe(404);
    // Any process ends a session that it does not know.
    expect(await end(third, there)).toBe(200);
    expect(await end(third, there)).toBe(404);
    expect(await statusOf(third, there)).toBe(404);
  });

  it('is not ended while that cannot be stored, and the client can try again', async () => {
    const parts = shared();
    await using first = await start(parts);
    const session = await open(first, keyOf(first));
    const outage = Object.assign(new Error('no server'), { name: 'MongoServerSelectionError' });
    const store = vi.spyOn(parts.sessionRecords.mcpSessions, 'end').mockRejectedValue(outage);
    expect(await end(first, session)).toBe(503);
    store.mockRestore();
    expect(await end(first, session)).toBe(200);
    expect(await statusOf(first, session)).toBe(404);
  });

  it('is 401 when its key was revoked', async () => {
    const parts = shared();
    await using first = await start(parts);
    await using second = await start(parts);
    const session = await open(first, { authorization: `Bearer ${parts.keys.add('service', 'key_revoked')}` });
    await parts.keys.revoke('org_1', 'key_revoked', new Date());
    expect(await statusOf(second, session)).toBe(401);
  });
});

describe('the idle limit', () => {
  const minutes = (count: number): number => count * 60_000;

  it('counts from the last use that a process stored at its stop, across processes', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const parts = shared();
    const first = await start(parts);
    const [used, left] = [await open(first, keyOf(first)), await open(first, keyOf(first))];
    vi.advanceTimersByTime(minutes(20));
    expect(await statusOf(first, used)).toBe(200);
    await first[Symbol.asyncDispose]();
    vi.advanceTimersByTime(minutes(29));
    await using second = await start(parts);
    expect(await statusOf(second, used)).toBe(200);
    expect(await statusOf(second, left)).toBe(404);
  });

  it('ends a session that nobody used, after a kill as well', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const parts = shared();
    await using first = await start(parts);
    const [early, late] = [await open(first, keyOf(first)), await open(first, keyOf(first))];
    await using second = await start(parts);
    vi.advanceTimersByTime(minutes(30));
    expect(await statusOf(second, early)).toBe(200);
    vi.advanceTimersByTime(1);
    expect(await statusOf(second, late)).toBe(404);
  });
});

describe('the cap on sessions', () => {
  it('counts those that return like new ones, however many come at once', async () => {
    const parts = shared();
    const { tool } = waiting();
    await using first = await start(parts);
    await using second = await start({ ...parts, sessionLimits: { ...sessionLimits, share: 3 } }, [tool]);
    const sessions: Headers[] = [];
    for (let count = 0; count < 12; count += 1) sessions.push(await open(first, keyOf(first)));
    const asked = Promise.withResolvers<null>();
    const find = vi.spyOn(parts.sessionRecords.mcpSessions, 'find').mockImplementation(() => {
      if (find.mock.calls.length === sessions.length) asked.resolve(null);
      return asked.promise;
    });
    const leaving = new AbortController();
    const statuses: number[] = [];
    const calls = sessions.map(async (headers) => {
      const { status } = await fetch(second.url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(callOf('wait')),
        signal: leaving.signal,
      });
      statuses.push(status);
    });
    // A call that waits has its headers already.
    await Promise.all(calls);
    const served = statuses.filter((status) => status === 200).length;
    expect([served, statuses.filter((status) => status === 503).length]).toEqual([3, 9]);
    leaving.abort();
  });
});
