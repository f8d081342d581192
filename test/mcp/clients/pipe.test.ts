import { PassThrough } from 'node:stream';
import { Client, type ElicitResult } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Authenticator } from '#src/auth/authenticate.ts';
import { requireKey } from '#app/compose/stdio.ts';
import { ConfigError } from '#src/config/env.ts';
import { newId } from '#src/domain/ids.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { transform } from '#graphs/nodes/transform.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { McpServerFactory } from '#mcp/server/server-factory.ts';
import { productCatalog } from '#mcp/product.ts';
import { serveLocalClient } from '#mcp/server/stdio.ts';
import { fullView } from '#mcp/view.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { addTheirThings, type TheirThings } from '#test/support/neighbour.ts';
import { describeDocument, documentUri, newDocument } from '#test/mcp/reading/watched-documents.ts';
import { eventListeners } from '#test/support/event-listeners.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

/** The node `gate` holds its run until the test is over. */
const over = Promise.withResolvers<void>();
const gate = testNode('gate', () => over.promise.then(() => ({ update: {} })), { defaultTimeoutMs: 60_000 });

let app: TestApp;
let their: TheirThings;
let shown: McpCatalog;
beforeAll(async () => {
  app = await startTestApp({ overrides: { catalog: catalogOf([noop, gate, transform]) } });
  their = await addTheirThings(app, 'organization');
  shown = await productCatalog(app.app.deps, '0');
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  over.resolve();
  await app[Symbol.asyncDispose]();
});

interface Pipe {
  /** The client's end. */
  readonly transport: StdioServerTransport;
  /** Settles when the server has left. */
  readonly served: Promise<void>;
  /** Everything that the server wrote. */
  readonly written: () => string;
  readonly stop: AbortController;
  hangUp(): void;
}

/** Server of `npm run mcp:stdio`, in this process. */
function pipe(secret = app.seed.agentKey): Pipe {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const { deps, logger } = app.app;
  const authenticator = new Authenticator(deps.apiKeys, logger);
  const stop = new AbortController();
  let written = '';
  toClient.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const served = serveLocalClient({
    factory: new McpServerFactory({ catalog: shown, logger, version: '0' }),
    listening: shown.listening,
    logger,
    signal: stop.signal,
    pipe: { input: toServer, output: toClient },
    answerMs: 500,
    caller: async () => ({
      principal: await authenticator.byKey(secret, 'service-key'),
      requestId: newId('request'),
      view: fullView,
      ip: null,
    }),
  });
  // As when the process ends.
  void served.then(() => toClient.end());
  const transport = new StdioServerTransport(toClient, toServer);
  return { transport, served, written: () => written, stop, hangUp: () => toServer.end() };
}

interface Ear {
  readonly pipe: Pipe;
  readonly told: string[];
  readonly asked: string[];
  use(name: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<any>;
  close(): Promise<void>;
}
type Ears = (answers?: ElicitResult[], secret?: string) => Promise<Ear>;

async function newer(answers: ElicitResult[] = [], secret?: string): Promise<Ear & { client: Client }> {
  const own = pipe(secret);
  const client = new Client(
    { name: 'newer', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} } } },
  );
  const [told, asked]: string[][] = [[], []];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told?.push(params.uri));
  client.setNotificationHandler('notifications/resources/list_changed', () => void told?.push('list'));
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked?.push('message' in params ? params.message : '');
    return answers.shift() ?? { action: 'cancel' };
  });
  await client.connect(own.transport);
  return {
    client,
    pipe: own,
    told: told ?? [],
    asked: asked ?? [],
    use: (name, input = {}, signal) => client.callTool({ name, arguments: input }, signal && { signal }),
    close: () => client.close(),
  };
}

async function older(answers: ElicitResult[] = [], secret?: string): Promise<Ear & { client: OlderClient }> {
  const own = pipe(secret);
  const client = new OlderClient({ name: 'older', version: '1' }, { capabilities: { elicitation: {} } });
  const [told, asked]: string[][] = [[], []];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told?.push(params.uri));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked?.push(params.message);
    return answers.shift() ?? { action: 'cancel' };
  });
  await client.connect(own.transport);
  return {
    client,
    pipe: own,
    told: told ?? [],
    asked: asked ?? [],
    use: (name, input = {}, signal) =>
      client.callTool({ name, arguments: input }, undefined, signal === undefined ? {} : { signal }),
    close: () => client.close(),
  };
}

const documentOf = (): Promise<string> => newDocument(app);
const describeIt = (documentId: string): Promise<void> => describeDocument(app, documentId);

describe.each([
  ['newer', newer as Ears],
  ['older', older as Ears],
])('over a pipe, a %s client', (_, ears) => {
  it('is asked before it publishes, and its word counts', async () => {
    const ear = await ears([{ action: 'decline' }, { action: 'accept', content: { confirm: true } }]);
    const made = await ear.use('create_workflow', { graph: graphOf({ a: 'noop' }, ['START>a', 'a>END']) });
    const draft = { workflowId: made.structuredContent.workflowId, baseVersion: 1 };
    const declined = await ear.use('publish_workflow', draft);
    expect(declined).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not_confirmed') }] });
    expect((await ear.use('publish_workflow', draft)).structuredContent).toMatchObject({ version: 1 });
    expect(ear.asked).toHaveLength(2);
    await ear.close();
  });

  it('cancels a call that waits, which does not wait on', async () => {
    const ear = await ears();
    const workflowId = await addWorkflow(app, graphOf({ a: 'gate' }, ['START>a', 'a>END']));
    const documentId = (await app.store(tinyPng, 'image/png')).id;
    const started = await ear.use('run_workflow', { workflowId, documentIds: [documentId] });
    const open = eventListeners(app);
    const leaving = new AbortController();
    const input = { executionId: started.structuredContent.id, waitSeconds: 25 };
    const left = ear.use('get_run', input, leaving.signal);
    await expect.poll(open).toBe(1);
    leaving.abort('enough');
    await expect(left).rejects.toThrow();
    await expect.poll(open, { timeout: 5_000 }).toBe(0);
    expect((await ear.use('get_run', { ...input, waitSeconds: 0 })).structuredContent.execution.status).toBe('running');
    await ear.close();
  });

  it('is served no more once its key is revoked, and may come again with another', async () => {
    const ear = await ears();
    const made = await ear.use('create_api_key', {
      name: 'Mine',
      kind: 'service',
      scopes: ['documents:read', 'keys:manage'],
    });
    const { secret, key } = made.structuredContent;
    const mine = await ears([], secret);
    expect((await mine.use('get_context')).structuredContent.credential).toMatchObject({ id: key.id });
    await app.app.deps.apiKeys.revoke(app.seed.organizationId, key.id, new Date());
    await expect(mine.use('get_context')).rejects.toThrow(/no longer valid/);
    await Promise.all([mine.close(), ear.close()]);
  });

  it('leaves by closing its end: the server ends, and what it waited for as well', async () => {
    const open = eventListeners(app);
    const ear = await ears();
    const workflowId = await addWorkflow(app, graphOf({ a: 'gate' }, ['START>a', 'a>END']));
    const documentId = (await app.store(tinyPng, 'image/png')).id;
    const waits = ear.use('run_workflow', { workflowId, documentIds: [documentId], waitSeconds: 25 });
    const failed = expect(waits).rejects.toThrow();
    await expect.poll(open).toBe(1);
    ear.pipe.hangUp();
    await ear.pipe.served;
    await expect.poll(open, { timeout: 5_000 }).toBe(0);
    await ear.close();
    await failed;
  });
});

describe('over a pipe, updates', () => {
  it('reach each stream of a newer client that asked for them, once, and none that is closed', async () => {
    const open = eventListeners(app);
    const { client, told, pipe: own, close } = await newer();
    const [one, two] = [await documentOf(), await documentOf()];
    const first = await client.listen({ resourceSubscriptions: [documentUri(one)] });
    const second = await client.listen({ resourceSubscriptions: [documentUri(one), documentUri(two)] });
    expect(open()).toBe(1);
    await describeIt(one);
    await describeIt(two);
    await expect.poll(() => told.toSorted()).toEqual([one, one, two].map(documentUri).toSorted());
    await first.close();
    await describeIt(one);
    await expect.poll(() => told).toHaveLength(4);
    await second.close();
    await expect.poll(open).toBe(0);
    const third = await client.listen({ resourceSubscriptions: [documentUri(two)] });
    await describeIt(one);
    await describeIt(two);
    await expect.poll(() => told).toHaveLength(5);
    expect(told.at(-1)).toBe(documentUri(two));
    own.hangUp();
    await own.served;
    expect(open()).toBe(0);
    expect(['graceful', 'remote']).toContain(await third.closed);
    await close();
  });

  it('reach a newer client that asked for the list, and only that', async () => {
    const { client, told, close } = await newer();
    const stream = await client.listen({ resourcesListChanged: true });
    const { organizationId, projectId } = app.seed;
    await describeIt(await documentOf());
    await app.app.deps.events.append([realtimeEvent(organizationId, { projectId })]);
    await expect.poll(() => told).toEqual(['list']);
    await stream.close();
    await close();
  });

  it('reach an older client that subscribed, until it unsubscribes', async () => {
    const open = eventListeners(app);
    const { client, told, close } = await older();
    const [mine, end] = [await documentOf(), await documentOf()];
    await client.subscribeResource({ uri: documentUri(mine) });
    await describeIt(end);
    await describeIt(mine);
    await expect.poll(() => told).toEqual([documentUri(mine)]);
    await client.unsubscribeResource({ uri: documentUri(mine) });
    expect(open()).toBe(0);
    await close();
  });

  it('are of what the caller may read: the rest is left out or refused like what does not exist', async () => {
    const mine = await documentOf();
    const theirs = [documentUri(their.ids.document), `inkgraph://runs/${their.ids.run}`, documentUri('doc_none')];
    const ear = await newer();
    const stream = await ear.client.listen({ resourceSubscriptions: [...theirs, documentUri(mine)] });
    expect(stream.honoredFilter).toEqual({ resourceSubscriptions: [documentUri(mine)] });
    const many = Array.from({ length: 101 }, (__, index) => documentUri(`doc_${index}`));
    await expect(ear.client.listen({ resourceSubscriptions: many })).rejects.toThrow(/at most 100 resources/);
    const old = await older();
    const refusal = (uri: string) => old.client.subscribeResource({ uri }).catch((error: unknown) => error);
    const none = (await refusal(theirs[2] ?? '')) as Error;
    for (const uri of theirs) expect(((await refusal(uri)) as Error).message).toBe(none.message);
    await Promise.all([ear.close(), old.close()]);
  });

  it('end with the key of the listener', async () => {
    const owner = await older();
    const made = await owner.use('create_api_key', { name: 'Mine', kind: 'service', scopes: ['documents:read'] });
    const { secret, key } = made.structuredContent;
    const [mine, end] = [await documentOf(), await documentOf()];
    const [ear, old, fence] = [await newer([], secret), await older([], secret), await older()];
    await ear.client.listen({ resourceSubscriptions: [documentUri(mine)] });
    await old.client.subscribeResource({ uri: documentUri(mine) });
    await fence.client.subscribeResource({ uri: documentUri(mine) });
    await fence.client.subscribeResource({ uri: documentUri(end) });
    await app.app.deps.apiKeys.revoke(app.seed.organizationId, key.id, new Date());
    await describeIt(mine);
    await describeIt(end);
    await expect.poll(() => fence.told).toContain(documentUri(end));
    expect(fence.told).toContain(documentUri(mine));
    expect([...ear.told, ...old.told]).toEqual([]);
    await Promise.all([owner.close(), ear.close(), old.close(), fence.close()]);
  });
});

it('A key that opens nothing is told before anything is served', async () => {
  const refused = requireKey(app.app, { ...app.config, mcpKey: `ink_svc_${'x'.repeat(38)}` });
  await expect(refused).rejects.toBeInstanceOf(ConfigError);
  await expect(requireKey(app.app, { ...app.config, mcpKey: app.seed.workflowKey })).rejects.toBeInstanceOf(
    ConfigError,
  );
  await requireKey(app.app, { ...app.config, mcpKey: app.seed.serviceKey });
});

describe('over a pipe, whatever comes', () => {
  it('that is no request of the protocol is answered or passed over, and the next one is served', async () => {
    const own = pipe();
    const answers: any[] = [];
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have this form only
    own.transport.onmessage = (message) => void answers.push(message);
    await own.transport.start();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const ask = (id: number, method: string, params: object) =>
      own.transport.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } });
    await ask(1, 'subscriptions/listen', { notifications: null });
    await ask(2, 'subscriptions/listen', { notifications: { resourceSubscriptions: [7] } });
    await ask(3, 'subscriptions/listen', {});
    await ask(4, 'nothing/at/all', {});
    await own.transport.send({ jsonrpc: '2.0', id: 99, result: {} });
    await ask(5, 'tools/list', {});
    await expect.poll(() => answers.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(answers.map(({ error }) => error?.code)).toEqual([-32_602, -32_602, -32_602, -32_601, undefined]);
    own.stop.abort();
    await own.served;
    expect(own.written().split('\n').filter(Boolean)).toHaveLength(5);
  });

  verifies('mcp.stdio.answers', async () => {
    const own = pipe();
    await own.transport.start();
    const ask = (id: number, method: string, params: object) =>
      own.transport.send({ jsonrpc: '2.0', id, method, params } as never);
    const clientInfo = { name: 'raw', version: '1' };
    void ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    void own.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    void ask(2, 'tools/call', { name: 'list_documents', arguments: { limit: 1 } });
    void ask(3, 'tools/call', { name: 'search_documents', arguments: { query: 'anything' } });
    own.hangUp();
    await own.served;
    const lines = own.written().split('\n').filter(Boolean);
    const answers = lines.map((line) => JSON.parse(line) as { id: number; result?: { isError?: boolean } });
    expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    for (const { result } of answers) expect(result?.isError).not.toBe(true);
  });
});
