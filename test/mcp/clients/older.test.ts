import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { firstScopes } from '#src/contracts/scopes.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { consentBrowser, fieldsOf, withFields } from '#test/oauth/consent-form.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { eventListeners } from '#test/support/event-listeners.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { olderClient, olderRevisions, OlderTransport } from './older-client.ts';
import { allow, Program } from './program.ts';

/** The node `gate` holds each run until it is let go. */
const gates = new Map<string, PromiseWithResolvers<void>>();
const gateOf = (documentId: string): PromiseWithResolvers<void> => {
  const gate = gates.get(documentId) ?? Promise.withResolvers<void>();
  gates.set(documentId, gate);
  return gate;
};
const gate = testNode(
  'gate',
  async ({ run, signal }) => {
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => stopped.resolve(), { once: true });
    await Promise.race([gateOf(run.documentId).promise, stopped.promise]);
    return { update: {} };
  },
  { defaultTimeoutMs: 60_000 },
);

let app: TestApp;
let url: URL;
let workflowId: string;
beforeAll(async () => {
  app = await startTestApp({ overrides: { catalog: catalogOf([noop, gate]) } });
  url = new URL('/mcp', app.addresses.mcp);
  workflowId = await addWorkflow(app, graphOf({ a: 'noop', b: 'gate', c: 'noop' }, ['START>a', 'a>b', 'b>c', 'c>END']));
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => app[Symbol.asyncDispose]());

const yes = { action: 'accept', content: { confirm: true } } as const;
const withKey = () => ({ requestInit: { headers: { authorization: `Bearer ${app.seed.agentKey}` } } });

interface Told {
  readonly data: any;
  readonly text: string;
  readonly isError: boolean;
}
async function use(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Told> {
  const result = await client.callTool({ name, arguments: input });
  const [first] = result.content as { text?: string }[];
  return { data: result.structuredContent, text: first?.text ?? '', isError: result.isError === true };
}
const newDraft = async (client: Client): Promise<{ workflowId: string; baseVersion: number }> => {
  const graph = graphOf({ a: 'noop' }, ['START>a', 'a>END'], { name: 'Mine' });
  return { workflowId: (await use(client, 'create_workflow', { graph })).data.workflowId, baseVersion: 1 };
};

describe.each(olderRevisions)('A client of %s with a service key', (revision) => {
  it('gets what it speaks, lists tools, and calls them', async () => {
    const { client } = olderClient(null);
    const transport = new OlderTransport(url, revision, withKey());
    await client.connect(transport);
    expect(transport.protocolVersion).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'inkgraph' });
    const { tools } = await client.listTools();
    const context = tools.find(({ name }) => name === 'get_context');
    expect(context).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } });
    const { data, text } = await use(client, 'get_context');
    expect(data).toMatchObject({ organization: { id: app.seed.organizationId }, credential: { kind: 'service-key' } });
    expect(text).toContain(app.seed.organizationId);
    expect(await use(client, 'get_workflow', { workflowId: 'wf_nobodys' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('workflow.not_found'),
    });
    await transport.terminateSession();
    await client.close();
  });

  it('follows a run: is told of its resource and its progress, and what it cancels does not wait on', async () => {
    const { client } = olderClient(null);
    await client.connect(new OlderTransport(url, revision, withKey()));
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
    const documentId = (await app.store(tinyPng, 'image/png')).id as string;
    const started = await use(client, 'run_workflow', { workflowId, documentIds: [documentId] });
    const executionId = started.data.id as string;
    const uri = `inkgraph://runs/${started.data.runs[0].runId}`;

    const open = eventListeners(app);
    const leaving = new AbortController();
    const input = { name: 'get_run', arguments: { executionId, waitSeconds: 25 } };
    const left = client.callTool(input, undefined, { signal: leaving.signal });
    await expect.poll(open).toBe(1);
    leaving.abort('enough');
    await expect(left).rejects.toThrow('enough');
    // It was going to wait for 25 s.
    await expect.poll(open, { timeout: 5_000 }).toBe(0);
    vi.restoreAllMocks();

    await client.subscribeResource({ uri });
    const steps: number[] = [];
    const first = Promise.withResolvers<void>();
    const onprogress = ({ progress }: { progress: number }): void => {
      steps.push(progress);
      first.resolve();
    };
    const over = client.callTool(input, undefined, { onprogress });
    await first.promise;
    gateOf(documentId).resolve();
    expect((await over).structuredContent).toMatchObject({ execution: { status: 'succeeded' } });
    expect(steps.at(-1)).toBe(3);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    await expect.poll(() => updated).toContain(uri);
    const { contents } = await client.readResource({ uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ run: { status: 'succeeded' } });
    await client.unsubscribeResource({ uri });
    await client.close();
  });

  it('has prompts, and completes what they and resources take', async () => {
    const { client } = olderClient(null);
    await client.connect(new OlderTransport(url, revision, withKey()));
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain('improve_workflow');
    const { messages } = await client.getPrompt({
      name: 'improve_workflow',
      arguments: { workflowId, goal: 'Be faster' },
    });
    expect(messages[0]).toMatchObject({ role: 'user', content: { type: 'text' } });
    const argument = { name: 'workflowId', value: workflowId.slice(0, -2) };
    const ofPrompt = await client.complete({ ref: { type: 'ref/prompt', name: 'improve_workflow' }, argument });
    expect(ofPrompt.completion.values).toContain(workflowId);
    const ref = { type: 'ref/resource', uri: 'inkgraph://workflows/{id}' } as const;
    const ofResource = await client.complete({ ref, argument: { ...argument, name: 'id' } });
    expect(ofResource.completion.values).toContain(workflowId);
    await client.close();
  });
});

describe('Before it publishes', () => {
  it.each(['2025-11-25', '2025-06-18'] as const)(
    'a client of %s asks its user, whose word counts',
    async (revision) => {
      const { client, asked } = olderClient([{ action: 'decline' }, yes]);
      await client.connect(new OlderTransport(url, revision, withKey()));
      const draft = await newDraft(client);
      const declined = await use(client, 'publish_workflow', draft);
      expect(declined).toMatchObject({ isError: true, text: expect.stringContaining('request.not_confirmed') });
      expect((await use(client, 'publish_workflow', draft)).data).toMatchObject({ version: 1 });
      expect(asked).toEqual([expect.stringContaining('“Mine”'), expect.stringContaining('“Mine”')]);
      await client.close();
    },
  );

  it('a client of 2025-03-26, which knows no questions, goes on', async () => {
    const { client } = olderClient(null);
    await client.connect(new OlderTransport(url, '2025-03-26', withKey()));
    expect((await use(client, 'publish_workflow', await newDraft(client))).data).toMatchObject({ version: 1 });
    await client.close();
  });
});

describe('A client of 2025-11-25 with its own OAuth', () => {
  it('registers, is let in, refreshes within its session, and is told what it was not granted', async () => {
    const person = await consentBrowser(app);
    const program = new Program();
    const transport = () => new OlderTransport(url, '2025-11-25', { authProvider: program, fetch: program.fetch });
    const first = transport();
    await expect(olderClient(null).client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    const [asked] = program.asked;
    expect(Object.fromEntries(asked?.searchParams ?? [])).toMatchObject({
      scope: firstScopes.join(' '),
      resource: url.href,
      code_challenge_method: 'S256',
    });
    await first.finishAuth((await allow(person, asked)).get('code') ?? '');
    const { client } = olderClient(null);
    await client.connect(transport());
    expect((await use(client, 'get_context')).data).toMatchObject({ credential: { kind: 'oauth' } });
    const refused = await use(client, 'delete_workflow', { workflowId });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('workflows:write') });

    const stored = await collectionsIn(app.dataDir);
    const old = program.held;
    const ended = { $set: { expiresAt: new Date(Date.now() - 1) } };
    await stored.oauthTokens.updateOne({ _id: hashSecret(old.access_token) }, ended);
    await stored.close();
    program.sent.length = 0;
    expect((await use(client, 'get_context')).isError).toBe(false);
    expect(program.sent).toEqual(['POST /mcp 401', `POST ${oauthPaths.token} 200`, 'POST /mcp 200']);
    expect(program.held.refresh_token).not.toBe(old.refresh_token);
    expect(program.asked).toHaveLength(1);

    // The person widens the grant: the program does not connect again.
    const page = await person.get('/apps');
    const scope = [...firstScopes, 'workflows:write'];
    const saved = await person.post(withFields(fieldsOf(page.html, '/apps/change'), { scope }), {
      path: '/apps/change',
    });
    expect(saved.headers.get('location')).toBe('/apps?done=changed');
    program.sent.length = 0;
    expect(
      (await use(client, 'create_workflow', { graph: graphOf({ a: 'noop' }, ['START>a', 'a>END']) })).isError,
    ).toBe(false);
    expect(program.sent).toEqual(['POST /mcp 200']);
    await client.close();
  });
});

describe.each(['2025-11-25', '2025-06-18'] as const)('A client of %s whose access cannot be refreshed', (revision) => {
  it('asks its person again for what it was not granted, and keeps its session and subscriptions', async () => {
    const person = await consentBrowser(app);
    const program = new Program();
    const transport = () => new OlderTransport(url, revision, { authProvider: program, fetch: program.fetch });
    const first = transport();
    await expect(olderClient(null).client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    await first.finishAuth((await allow(person, program.asked[0], { lasting: 'hour' })).get('code') ?? '');
    const { client } = olderClient(null);
    const wire = transport();
    await client.connect(wire);
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
    const owner = olderClient(null).client;
    await owner.connect(new OlderTransport(url, revision, withKey()));
    const draft = await newDraft(owner);
    await owner.close();
    const uri = `inkgraph://workflows/${draft.workflowId}`;
    await client.subscribeResource({ uri });
    const { sessionId } = wire;

    const operations = [{ op: 'set_metadata', description: `Changed by a client of ${revision}` }];
    const wish = { name: 'update_workflow', arguments: { ...draft, operations, dryRun: false } };
    await expect(client.callTool(wish)).rejects.toBeInstanceOf(UnauthorizedError);
    const asked = program.asked[1]?.searchParams.get('scope')?.split(' ');
    expect(new Set(asked)).toEqual(new Set([...firstScopes, 'workflows:write']));
    await wire.finishAuth((await allow(person, program.asked[1], { lasting: 'hour' })).get('code') ?? '');
    const edited = await use(client, wish.name, wish.arguments);
    expect(edited.isError, edited.text).toBe(false);
    expect(wire.sessionId).toBe(sessionId);
    await expect.poll(() => updated).toContain(uri);
    await client.close();
  });
});
