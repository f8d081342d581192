import type { Client } from '@modelcontextprotocol/client';
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEventLog, type EventLog } from '#src/stores/event-log.ts';
import { newId } from '#src/domain/ids.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { transform } from '#graphs/nodes/transform.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { Updates } from '#mcp/updates/updates.ts';
import { fullView } from '#mcp/view.ts';
import { graphOf, noop } from '#test/graphs/support/graph-fixtures.ts';
import { legacyClient, modernClient } from '#test/mcp/listener.ts';
import { describeDocument, documentUri, newDocument } from '#test/mcp/reading/watched-documents.ts';
import { ask } from '#test/mcp/work/modern-wire.ts';
import { addTheirThings, type TheirThings } from '#test/support/neighbour.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

/** Notifications of one client, in order; `list` for a changed list. */
interface Ear {
  readonly told: string[];
  readonly close: () => Promise<void>;
}

let at: TestApp;
let url: URL;
let agent: Client;
let their: TheirThings;
/** Documents and workflows of another project of the same organization. */
let beside: TheirThings;
let elsewhere: EventLog;
let closeStored: () => Promise<void>;

const documentOf = (more = {}): Promise<string> => newDocument(at, more);
const describeIt = (documentId: string, more: Parameters<typeof describeDocument>[2] = {}): Promise<void> =>
  describeDocument(at, documentId, more);

async function modernEar(uris: readonly string[], lists = false): Promise<Ear & { honored: readonly string[] }> {
  const client = await modernClient(url, at.seed.agentKey);
  const told: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
  client.setNotificationHandler('notifications/resources/list_changed', () => void told.push('list'));
  const stream = await client.listen({
    resourceSubscriptions: [...uris],
    ...(lists && { resourcesListChanged: true }),
  });
  const close = async () => {
    await stream.close();
    await client.close();
  };
  return { told, honored: stream.honoredFilter.resourceSubscriptions ?? [], close };
}

async function legacyEar(uris: readonly string[]): Promise<Ear & { client: LegacyClient }> {
  const { client } = await legacyClient(url, at.seed.agentKey);
  const told: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.push('list'));
  for (const uri of uris) await client.subscribeResource({ uri });
  return { told, client, close: () => client.close() };
}

const ears = {
  newer: (uris: readonly string[]): Promise<Ear> => modernEar(uris),
  older: (uris: readonly string[]): Promise<Ear> => legacyEar(uris),
};

beforeAll(async () => {
  at = await startTestApp({ overrides: { catalog: catalogOf([noop, transform]) } });
  url = new URL('/mcp', at.addresses.mcp);
  agent = await modernClient(url, at.seed.agentKey);
  their = await addTheirThings(at, 'organization');
  beside = await addTheirThings(at, 'project');
  const stored = await collectionsIn(at.dataDir);
  closeStored = stored.close;
  elsewhere = createEventLog(stored);
}, 60_000);
afterAll(async () => {
  await agent.close();
  await closeStored();
  await at[Symbol.asyncDispose]();
});

describe.each(['newer', 'older'] as const)('a %s client', (generation) => {
  const listen = ears[generation];

  it('hears when a run goes on', async () => {
    const documentId = await documentOf();
    const workflowId = await addWorkflow(at, graphOf({ ask: 'noop' }, ['START>ask', 'ask>END']));
    const started = await agent.callTool({
      name: 'run_workflow',
      arguments: { workflowId, documentIds: [documentId] },
    });
    const { runId } = (started.structuredContent as any).runs[0];
    const uri = `inkgraph://runs/${runId}`;
    await at.app.idle();
    const ear = await listen([uri]);
    const { organizationId, projectId } = at.seed;
    const about = { projectId, runId, dedupeId: newId('event') };
    await at.app.deps.events.append([realtimeEvent(organizationId, { ...about, type: 'run.completed' })]);
    await expect.poll(() => ear.told.filter((one) => one !== 'list')).toEqual([uri]);
    await ear.close();
  });

  it('hears of its document, and of no other', async () => {
    const [mine, other] = [await documentOf(), await documentOf()];
    const ear = await listen([documentUri(mine)]);
    await describeIt(other);
    await describeIt(mine);
    await expect.poll(() => ear.told).toEqual([documentUri(mine)]);
    await ear.close();
  });
});

describe('what another process or a person changes', () => {
  it('is heard of: a document', async () => {
    const [mine, other] = [await documentOf(), await documentOf()];
    const ear = await modernEar([documentUri(mine)]);
    await describeIt(other, { log: elsewhere });
    await describeIt(mine, { log: elsewhere });
    await expect.poll(() => ear.told, { timeout: 5_000 }).toEqual([documentUri(mine)]);
    await ear.close();
  });

  it('is heard of: a workflow', async () => {
    const made = await agent.callTool({
      name: 'create_workflow',
      arguments: { from: { workflowId: await addWorkflow(at, graphOf({ a: 'noop' }, ['START>a', 'a>END'])) } },
    });
    const { workflowId } = made.structuredContent as { workflowId: string };
    const uri = `inkgraph://workflows/${workflowId}`;
    const ear = await legacyEar([uri]);
    const edit = { baseVersion: 1, operations: [{ op: 'set_metadata', name: 'Other' }] };
    const cookie = await at.signIn();
    const path = `/api/dashboard/workflows/${workflowId}`;
    expect((await at.call('POST', `${path}/operations`, { cookie, body: edit })).status).toBe(200);
    await expect.poll(() => ear.told, { timeout: 5_000 }).toEqual([uri]);
    await agent.callTool({ name: 'publish_workflow', arguments: { workflowId, baseVersion: 2 } });
    await expect.poll(() => ear.told, { timeout: 5_000 }).toEqual([uri, uri]);
    await ear.close();
  });
});

describe('attack: a guessed address of another tenant', () => {
  const theirUris = ({ ids }: TheirThings): string[] => [
    documentUri(ids.document),
    `${documentUri(ids.document)}/text`,
    `inkgraph://runs/${ids.run}`,
    `inkgraph://workflows/${ids.workflow}`,
  ];

  it('is left out of a stream like one that does not exist, and never told of', async () => {
    const mine = await documentOf();
    const foreign = [...theirUris(their), ...theirUris(beside)];
    const ear = await modernEar([...foreign, documentUri('doc_none'), 'file:///etc/passwd', documentUri(mine)]);
    expect(ear.honored).toEqual([documentUri(mine)]);
    await describeIt(beside.ids.document, { projectId: 'prj_beside' });
    await describeIt(their.ids.document);
    await describeIt(mine);
    await expect.poll(() => ear.told).toEqual([documentUri(mine)]);
    await ear.close();
  });

  it('is refused to a session like one that does not exist', async () => {
    const ear = await legacyEar([]);
    const refusal = async (uri: string) => {
      const error = await ear.client.subscribeResource({ uri }).catch((thrown: unknown) => thrown);
      return { ...(error as { code: number; data: unknown; message: string }), message: (error as Error).message };
    };
    const nothing = await refusal(documentUri('doc_none'));
    expect(nothing).toMatchObject({ code: -32_602, data: { uri: documentUri('doc_none') } });
    for (const uri of [...theirUris(their), ...theirUris(beside)])
      expect(await refusal(uri)).toEqual({ ...nothing, data: { uri } });
    await ear.close();
  });

  it('is not told any more once a public document of another project became private', async () => {
    const { organizationId } = at.seed;
    const projectId = 'prj_other';
    const shared = await documentOf({ projectId, visibility: 'public' });
    const mine = await documentOf();
    const ear = await modernEar([documentUri(shared), documentUri(mine)]);
    expect(ear.honored).toHaveLength(2);
    await describeIt(shared, { projectId });
    await expect.poll(() => ear.told).toEqual([documentUri(shared)]);
    await at.app.deps.documents.setVisibility({ organizationId, projectIds: [projectId] }, [shared], 'private');
    await describeIt(shared, { projectId });
    await describeIt(mine, { log: elsewhere });
    await expect.poll(() => ear.told, { timeout: 5_000 }).toEqual([documentUri(shared), documentUri(mine)]);
    await ear.close();
  });
});

describe('bounds', () => {
  it('a stream has at most 100 addresses, a session as well', async () => {
    const uris = Array.from({ length: 101 }, (_, index) => documentUri(`doc_${index}`));
    await expect(modernEar(uris)).rejects.toThrow(/at most 100 resources/);
    const ids = await Promise.all(Array.from({ length: 34 }, () => documentOf()));
    const all = ids.flatMap((id) => [documentUri(id), `${documentUri(id)}/text`, `${documentUri(id)}/image`]);
    const ear = await legacyEar(all.slice(0, 100));
    await expect(ear.client.subscribeResource({ uri: all[100] ?? '' })).rejects.toThrow(/at most 100 resources/);
    await ear.client.unsubscribeResource({ uri: all[0] ?? '' });
    await ear.client.subscribeResource({ uri: all[100] ?? '' });
    await ear.close();
  });

  it('a stream of what cannot be looked at now is refused with an error that says to try again, and no more', async () => {
    const documentId = await documentOf();
    const find = vi.spyOn(at.app.deps.documents, 'find').mockRejectedValue(new Error('10.0.0.7 password=hunter2'));
    const params = { notifications: { resourceSubscriptions: [documentUri(documentId)] } };
    const { status, error } = await ask({ url, secret: at.seed.agentKey }, { method: 'subscriptions/listen', params });
    find.mockRestore();
    expect({ status, error }).toMatchObject({
      status: 200,
      error: { code: -32_603, data: { code: 'service.internal' } },
    });
    expect(error.message).toMatch(/^service\.internal: An unexpected error occurred \(request req_\w+\)\.$/);
  });

  it('a burst is told once at once and once after it', async () => {
    const mine = await documentOf();
    const ear = await modernEar([documentUri(mine)]);
    const end = await documentOf();
    const fence = await modernEar([documentUri(end)]);
    await Promise.all(Array.from({ length: 200 }, () => describeIt(mine)));
    await describeIt(end);
    await expect.poll(() => fence.told).toEqual([documentUri(end)]);
    await expect.poll(() => ear.told.length).toBeGreaterThan(0);
    expect(ear.told.length).toBeLessThan(20);
    await Promise.all([ear.close(), fence.close()]);
  });
});

describe('the list of resources', () => {
  it('is reported as changed to its subscribers when something is added', async () => {
    const ear = await modernEar([], true);
    const { organizationId, projectId } = at.seed;
    await at.app.deps.events.append([realtimeEvent(organizationId, { projectId })]);
    await expect.poll(() => ear.told).toEqual(['list']);
    await ear.close();
  });

  it('is not told to whom the project is not open', async () => {
    const mine = await documentOf();
    const ear = await modernEar([documentUri(mine)], true);
    await at.app.deps.events.append([realtimeEvent(at.seed.organizationId)]);
    await describeIt(mine);
    await expect.poll(() => ear.told).toEqual([documentUri(mine)]);
    await ear.close();
  });
});

describe('an organization without a listener', () => {
  const subscribed = (): { updates: Updates; open: () => number } => {
    let open = 0;
    const { deps } = at.app;
    const subscribe: EventLog['subscribe'] = (organizationId, listener) => {
      const stop = deps.events.subscribe(organizationId, listener);
      open += 1;
      return () => {
        open -= 1;
        stop();
      };
    };
    const events: EventLog = { ...deps.events, subscribe };
    return { updates: new Updates({ ...deps, events }), open: () => open };
  };

  it('has no subscription; one that several listen to has one', async () => {
    const { updates, open } = subscribed();
    const { organizationId, projectId } = at.seed;
    const principal = {
      organizationId,
      projectIds: [projectId],
      scopes: new Set(),
    } as unknown as McpCaller['principal'];
    const caller: McpCaller = { principal, requestId: 'req_1', view: fullView, ip: null };
    const wanted = { caller, uris: new Map([['inkgraph://runs/run_1', '']]), lists: false, notify: () => undefined };
    const stops = [updates.watch(wanted), updates.watch(wanted), updates.watch(wanted)];
    expect([updates.size, open()]).toEqual([1, 1]);
    for (const stop of stops) {
      expect(updates.size).toBe(1);
      stop();
    }
    expect([updates.size, open()]).toEqual([0, 0]);
    const again = updates.watch(wanted);
    expect(open()).toBe(1);
    again();
    expect(open()).toBe(0);
  });
});
