import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacyClient, listen, modernClient, type Listener } from '#test/mcp/listener.ts';
import { callOf, initialize, modern, post, type RawReply } from '#test/mcp/raw.ts';
import { sampleTools } from '#test/mcp/sample-tools.ts';

let at: Listener;
beforeAll(async () => {
  at = await listen(sampleTools, { toolsets: { keep: 'documents', scan: 'documents', shelf: 'runs' } });
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const narrowed = (query: string): { url: URL } => ({ url: new URL(`?${query}`, at.url) });

async function listed(query: string): Promise<readonly string[]> {
  const { url } = narrowed(query);
  const newer = await modernClient(url, at.secret);
  const { client: older } = await legacyClient(url, at.secret);
  const [names, same] = [await newer.listTools(), await older.listTools()].map(({ tools }) => tools.map((t) => t.name));
  await Promise.all([newer.close(), older.close()]);
  expect(same).toEqual(names);
  return names ?? [];
}

function call(query: string, name: string): Promise<RawReply> {
  const { body, headers } = modern(name);
  return post(narrowed(query), body, { ...headers, authorization: `Bearer ${at.secret}` });
}

const core = ['echo', 'who', 'fail', 'crash'];
const everything = sampleTools.map((tool) => tool.name);

describe('the address of a connection', () => {
  it.each([
    ['toolsets=runs', [...core, 'shelf']],
    ['toolsets=documents', [...core, 'scan', 'keep']],
    ['toolsets=documents,%20runs', [...core, 'scan', 'shelf', 'keep']],
    ['toolsets=documents&toolsets=runs', [...core, 'scan', 'shelf', 'keep']],
    ['toolsets=core', core],
    ['toolsets=experiments', core],
    ['toolsets=documents&read_only=true', [...core, 'scan']],
    ['read_only=true', everything.filter((name) => name !== 'keep')],
    ['read_only=false', everything],
    ['project=prj_1', everything],
    ['utm_source=x', everything],
  ])('?%s lists what it leaves, to both generations', async (query, names) => {
    expect(await listed(query)).toEqual(names);
  });

  it.each([
    ['toolsets=runs', 'keep', 'it belongs to the toolset documents, and the URL of this connection has toolsets=runs'],
    ['toolsets=documents&read_only=true', 'keep', 'read_only=true'],
  ])('?%s keeps %s from being called, and says why', async (query, name, why) => {
    const reply = await call(query, name);
    expect(reply.json).toMatchObject({ error: { code: -32_602, message: expect.stringContaining(why) } });
    expect((await call('', name)).json).toMatchObject({ result: { structuredContent: { kept: true } } });
    const { client } = await legacyClient(narrowed(query).url, at.secret);
    await expect(client.callTool({ name })).rejects.toThrow(why);
    await client.close();
  });

  it('counts with each request of a session, whatever opened it', async () => {
    const authorization = `Bearer ${at.secret}`;
    const opened = await post(at, initialize('2025-11-25'), { authorization });
    const session = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? 'none' };
    expect((await post(narrowed('read_only=true'), callOf('keep'), session)).json).toHaveProperty('error');
    expect((await post(at, callOf('keep'), session)).json).toHaveProperty('result.structuredContent.kept', true);
  });

  it.each([
    ['toolsets=documents,secrets', 'toolsets'],
    ['toolsets=', 'toolsets'],
    ['toolsets=__proto__', 'toolsets'],
    ['read_only=1', 'read_only'],
    ['read_only=true&read_only=false', 'read_only'],
  ])('?%s is 400 and says what there is', async (query, name) => {
    const reply = await call(query, 'who');
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ code: 'request.invalid', errors: [{ pointer: `/${name}` }] });
    expect(reply.json['detail']).toContain(
      name === 'toolsets' ? 'core, workflows, runs, documents, records, experiments, keys' : 'true or false',
    );
  });

  it.each(['project=prj_2', 'project=', 'project=prj_1&project=prj_2'])(
    '?%s is 404 when the project is not the caller’s',
    async (query) => {
      const reply = await call(query, 'who');
      expect(reply.status).toBe(404);
      expect(reply.json).toMatchObject({ code: 'project.not_found' });
    },
  );

  it('tells a stranger nothing', async () => {
    const { body, headers } = modern('who');
    expect((await post(narrowed('toolsets=secrets&project=prj_1'), body, headers)).status).toBe(401);
  });
});
