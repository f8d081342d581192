import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Principal } from '#src/domain/access/principal.ts';
import { asAuthInfo } from '#mcp/caller.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { Confirmations } from '#mcp/confirm/confirmations.ts';
import { McpServerFactory } from '#mcp/server/server-factory.ts';
import { fullView } from '#mcp/view.ts';
import type { Task, Tasks } from '#mcp/tasks/tasks.ts';
import type { McpTool } from '#mcp/tool.ts';
import { useCase } from '#mcp/use-case.ts';
import { defineTool } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { legacyClient, listen, LogBook, type Listener } from '#test/mcp/listener.ts';
import { callOf, initialize, post } from '#test/mcp/raw.ts';
import { ask, callTool, formDeclared, send, tasksDeclared } from '#test/mcp/work/modern-wire.ts';
import { readEvents } from '#test/mcp/work/read-events.ts';

const facts = { createdAt: new Date(0), lastUpdatedAt: new Date(1), ttlMs: 5_000, pollIntervalMs: 10 };

/** One task that a test moves along, and who watches it. */
class OneTask implements Tasks {
  now: Task = { ...facts, taskId: 'one', status: 'working' };
  readonly watchers = new Set<() => void>();
  async get(taskId: string): Promise<Task | null> {
    return taskId === 'one' ? this.now : null;
  }
  async update(taskId: string): Promise<boolean> {
    return taskId === 'one';
  }
  async cancel(taskId: string): Promise<boolean> {
    return taskId === 'one';
  }
  watch(_taskId: string, _asker: unknown, changed: () => void): () => void {
    this.watchers.add(changed);
    return () => void this.watchers.delete(changed);
  }
  become(next: Task): void {
    this.now = next;
    for (const changed of this.watchers) changed();
  }
}

const removing = defineTool({
  name: 'remove_it',
  description: 'Removes.',
  scope: null,
  effect: 'destroy',
  audit: false,
  idempotent: true,
  input: z.strictObject({ what: z.string() }),
  output: z.object({ removed: z.string() }),
  run: async (_ctx, { what }) => ({ removed: what }),
});

const noFields = { type: 'object' as const, properties: {} };
const tasks = new OneTask();
const deps = { logger: new LogBook() } as unknown as ToolDeps;
const asks = useCase(removing, 'core', deps, new Confirmations(Buffer.alloc(32, 1)));
const tool = (name: string, more: Partial<McpTool>): McpTool => ({
  ...asks,
  definition: { ...asks.definition, name },
  ...more,
});
const catalog: McpCatalog = {
  tools: [
    asks,
    tool('long', { call: async () => ({ content: [{ type: 'text', text: 'plain' }] }), taskOf: () => 'one' }),
    tool('lost', { call: async () => ({ content: [] }), taskOf: () => 'nowhere' }),
    tool('only', { call: async () => ({ content: [] }), taskOf: () => 'one', needsTask: true }),
  ],
  parts: [],
  capabilities: {},
  instructions: '',
  tasks,
};

let at: Listener;
const serve = (choices: object, by: Tasks = tasks): Promise<Listener> =>
  listen([], { ...choices, catalog: { ...catalog, tasks: by } } as object);
beforeAll(async () => {
  at = await serve({});
});
afterAll(() => at[Symbol.asyncDispose]());

/** The same request without the network. */
function listenFor(taskIds: string[]): [Request, { authInfo: AuthInfo; parsedBody: unknown }] {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': tasksDeclared,
  };
  const params = { notifications: { taskIds }, _meta };
  const parsedBody = { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  };
  const principal = { actorId: 'key_one', scopes: new Set() } as unknown as Principal;
  const authInfo = asAuthInfo({ principal, requestId: 'r', view: fullView, ip: null });
  const request = new Request(at.url, { method: 'POST', headers, body: JSON.stringify(parsedBody) });
  return [request, { authInfo, parsedBody }];
}

const capable = { ...tasksDeclared, ...formDeclared };
const missing = {
  code: -32_021,
  data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
};

describe('the Tasks extension', () => {
  it('is declared as an extension, and not in the old place', async () => {
    const { result } = await ask(at, { method: 'server/discover' });
    expect(result.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} });
    expect(result.capabilities).not.toHaveProperty('tasks');
  });

  it('makes a task of a call for clients that declare it with that call, and for no others', async () => {
    const { result } = await callTool(at, 'long', { what: '' }, { capabilities: tasksDeclared });
    expect(result).toMatchObject({
      resultType: 'task',
      taskId: 'one',
      status: 'working',
      createdAt: '1970-01-01T00:00:00.000Z',
      ttlMs: 5_000,
      pollIntervalMs: 10,
    });
    expect((await callTool(at, 'long', {})).result).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'plain' }],
    });
    expect((await callTool(at, 'only', {}, { capabilities: tasksDeclared })).result.resultType).toBe('task');
    const without = await callTool(at, 'only', {});
    expect(without).toMatchObject({ status: 400, error: missing });
    expect((await callTool(at, 'lost', {}, { capabilities: tasksDeclared })).error).toMatchObject({ code: -32_602 });
  });

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s is refused without it, and for unknown ids',
    async (method) => {
      const params = { taskId: 'one', inputResponses: {} };
      expect((await ask(at, { method, params })).error).toMatchObject(missing);
      const known = await ask(at, { method, params, capabilities: tasksDeclared });
      expect(known.result).toMatchObject({ resultType: 'complete' });
      const unknown = await ask(at, { method, params: { ...params, taskId: 'two' }, capabilities: tasksDeclared });
      expect(unknown.error).toMatchObject({ code: -32_602, message: expect.stringContaining('not found') });
      const misnamed = { method, params, capabilities: tasksDeclared, headers: { 'mcp-name': 'two' } };
      expect(await ask(at, misnamed)).toMatchObject({ status: 400, error: { code: -32_020 } });
    },
  );

  it('has no methods that it once had, and none at all for older clients', async () => {
    for (const method of ['tasks/list', 'tasks/result'])
      expect((await ask(at, { method, params: { taskId: 'one' }, capabilities: tasksDeclared })).error.code).toBe(
        -32_601,
      );
    const headers = { authorization: `Bearer ${at.secret}` };
    const hello = initialize('2025-11-25');
    const opened = await post(at, { ...hello, params: { ...hello.params, capabilities: tasksDeclared } }, headers);
    const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') };
    expect((await post(at, callOf('long', {}), session)).json).toMatchObject({
      result: { content: [{ text: 'plain' }] },
    });
    const get = { jsonrpc: '2.0', id: 3, method: 'tasks/get', params: { taskId: 'one' } };
    expect((await post(at, get, session)).json).toMatchObject({ error: { code: -32_601 } });
  });

  it('tells each change of a task once, in order, until the client leaves', async () => {
    const leaving = new AbortController();
    const params = { notifications: { taskIds: ['one', 'one', 'two'] } };
    const request = { method: 'subscriptions/listen', params, capabilities: capable, signal: leaving.signal };
    const events = readEvents(await send(at, request));
    const next = async (): Promise<any> => (await events.next()).value;
    expect((await next()).params.notifications).toEqual({ taskIds: ['one'] });
    expect((await next()).params).toMatchObject({ taskId: 'one', status: 'working' });
    for (const changed of tasks.watchers) changed();
    const form = { method: 'elicitation/create' as const, params: { message: '?', requestedSchema: noFields } };
    tasks.become({ ...facts, taskId: 'one', status: 'input_required', inputRequests: { one: form } });
    expect((await next()).params).toMatchObject({ status: 'input_required', inputRequests: { one: form } });
    expect(tasks.watchers.size).toBe(1);
    leaving.abort();
    await events.next().catch(() => undefined);
    await expect.poll(() => tasks.watchers.size).toBe(0);
  });

  it.each<Task>([
    { ...facts, taskId: 'one', status: 'completed', result: { content: [] } },
    { ...facts, taskId: 'one', status: 'failed', error: { code: -32_603, message: 'No' } },
    { ...facts, taskId: 'one', status: 'cancelled' },
  ])('looks no more after a task that is $status, which is the last that it tells', async (last) => {
    const own = new OneTask();
    own.now = { ...facts, taskId: 'one', status: 'working' };
    const face = new McpServerFactory({ catalog: { ...catalog, tasks: own }, logger: at.log, version: '0.0.0' });
    const handler = face.newHandler('reject');
    const events = readEvents(await handler.fetch(...listenFor(['one'])));
    await events.next();
    expect((await events.next()).value.params).toMatchObject({ status: 'working' });
    own.become(last);
    const { createdAt: _, lastUpdatedAt: _at, ...more } = last;
    const { params: told } = (await events.next()).value;
    expect(told).toMatchObject(more);
    expect(told).not.toHaveProperty(last.status === 'completed' ? 'error' : 'result');
    expect(own.watchers.size).toBe(0);
    await handler.close();
  });

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel', 'subscriptions/listen', 'tools/call'])(
    '%s tells nothing of a failure that nobody foresaw, but that another try may help',
    async (method) => {
      const broken = (): Promise<never> => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7 password=hunter2'));
      const failing: Tasks = { get: broken, update: broken, cancel: broken, watch: () => () => undefined };
      await using listener = await serve({}, failing);
      const named = method === 'tools/call' ? { name: 'long', arguments: {} } : { taskId: 'one', inputResponses: {} };
      const params = method === 'subscriptions/listen' ? { notifications: { taskIds: ['one'] } } : named;
      const { error } = await ask(listener, { method, params, capabilities: tasksDeclared });
      expect(error).toMatchObject({ code: -32_603, data: { code: 'service.internal' } });
      expect(error.message).toMatch(/^service\.internal: An unexpected error occurred \(request req_\w+\)\.$/);
      expect(listener.log.lines.filter(({ level }) => level === 'error')).not.toHaveLength(0);
    },
  );

  it('ends its streams in good order when the service stops', async () => {
    tasks.now = { ...facts, taskId: 'one', status: 'working' };
    const handler = new McpServerFactory({ catalog, logger: at.log, version: '0.0.0' }).newHandler('reject');
    const events = readEvents(await handler.fetch(...listenFor(['one'])));
    await events.next();
    await events.next();
    await handler.close();
    expect((await events.next()).value).toMatchObject({ id: 7, result: { resultType: 'complete' } });
    expect((await events.next()).done).toBe(true);
    expect(tasks.watchers.size).toBe(0);
  });
});

describe('a destructive tool that has no question of its own', () => {
  it('is asked about all the same, and seen by any replica of the same secret', async () => {
    const { result } = await callTool(at, 'remove_it', { what: 'a\u202eb' }, { capabilities: formDeclared });
    const { message } = result.inputRequests.confirm.params;
    expect(message).toBe('Carry out remove it, which deletes data, with {"what":"ab"}?');
    await using replica = await serve({});
    const retry = {
      requestState: result.requestState,
      inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
    };
    const done = await callTool(replica, 'remove_it', { what: 'a\u202eb' }, { capabilities: formDeclared, ...retry });
    expect(done.result.structuredContent).toEqual({ removed: 'a\u202eb' });
  });

  it('goes on without a question for older clients without a session, who cannot be asked', async () => {
    await using stateless = await serve({ legacy: 'stateless' });
    const { client } = await legacyClient(stateless.url, stateless.secret);
    const done = await client.callTool({ name: 'remove_it', arguments: { what: 'it' } });
    expect(done.structuredContent).toEqual({ removed: 'it' });
    await client.close();
  });
});
