import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishAddresses } from '#app/compose/addresses.ts';
import { snippets } from '#scripts/mcp/snippets.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { programEnv } from '#test/support/command.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { olderClient } from './older-client.ts';

interface Program {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** Command that `npm run mcp -- config stdio` tells programs to start. */
function programOn(dataDir: string): Program {
  const { mcpServers } = JSON.parse(snippets({ url: '', dataDir })['stdio'] ?? '') as {
    mcpServers: { inkgraph: Program };
  };
  const { command, args, env } = mcpServers.inkgraph;
  return { command, args, env: programEnv({ ...env, LOG_LEVEL: 'silent' }) as Record<string, string> };
}

const review = { type: 'review', config: { prompt: 'Fine?' } };
const waits = graphOf({ ask: review }, ['START>ask', 'ask>END'], { name: 'Waits', state: { answer: { schema: {} } } });
const yes = { action: 'accept', content: { confirm: true } } as const;

describe('Programs that start a process of their own on one data folder', () => {
  let dataDir: string;
  let newer: Client;
  const older = olderClient([]);
  const [told, oldTold, broken]: [string[], string[], Error[]] = [[], [], []];
  const use = async (name: string, input: Record<string, unknown> = {}): Promise<any> =>
    (await newer.callTool({ name, arguments: input })).structuredContent;
  const useOlder = async (name: string, input: Record<string, unknown> = {}): Promise<any> =>
    (await older.client.callTool({ name, arguments: input })).structuredContent;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
    newer = new Client(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
    );
    newer.setRequestHandler('elicitation/create', () => yes);
    newer.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
    older.client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void oldTold.push(params.uri),
    );
    // Collects lines on standard output that are not protocol messages.
    const onerror = (error: Error): void => void broken.push(error);
    Object.assign(newer, { onerror });
    Object.assign(older.client, { onerror });
    // It looks which generation answers in a process that it kills then.
    await newer.connect(new StdioClientTransport(programOn(dataDir)));
    // The first that is up runs the database for all.
    await use('get_context');
    await older.client.connect(new OlderTransport(programOn(dataDir)));
  }, 60_000);
  afterAll(async () => {
    await Promise.all([newer.close(), older.client.close()]);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('are served side by side, in the revision that each speaks', async () => {
    expect(newer.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const [{ tools }, { tools: same }] = [await newer.listTools(), await older.client.listTools()];
    expect(tools.map(({ name }) => name)).toEqual(same.map(({ name }) => name));
    const [one, other] = [await use('get_context'), await useOlder('get_context')];
    expect(one).toMatchObject({ credential: { kind: 'service-key' } });
    expect(other).toEqual(one);
  });

  it('work on the same things, are asked, and hear of what the other changed', async () => {
    const { workflowId } = await use('create_workflow', { graph: waits });
    expect(await use('publish_workflow', { workflowId, baseVersion: 1 })).toMatchObject({ version: 1 });

    const presign = { action: 'presign', contentType: 'image/png', size: tinyPng.length };
    const { upload } = await useOlder('upload_document', presign);
    const put = { method: upload.method, headers: upload.headers, body: new Uint8Array(tinyPng) };
    expect((await fetch(upload.uploadUrl, put)).status).toBe(200);
    const { document } = await useOlder('upload_document', { action: 'acknowledge', objectKey: upload.objectKey });

    const run = { workflowId, documentIds: [document.id], waitSeconds: 20 };
    const started = await useOlder('run_workflow', run);
    const { runId } = started.runs[0];
    const uri = `inkgraph://runs/${runId}`;
    const stream = await newer.listen({ resourceSubscriptions: [uri] });
    await older.client.subscribeResource({ uri });
    expect(
      JSON.parse((await newer.readResource({ uri })).contents.map((one) => ('text' in one ? one.text : ''))[0] ?? ''),
    ).toMatchObject({
      run: { status: 'waiting' },
    });
    await use('resume_run', { runId, answer: { fine: true } });
    await expect.poll(() => told).toContain(uri);
    await expect.poll(() => oldTold).toContain(uri);
    const over = await useOlder('get_run', { executionId: started.id, waitSeconds: 20 });
    expect(over.execution).toMatchObject({ status: 'succeeded' });
    await stream.close();
    expect(broken).toEqual([]);
  });

  it('may leave while the first goes on', async () => {
    await older.client.close();
    expect(await use('get_context')).toMatchObject({ credential: { kind: 'service-key' } });
  });
});

describe('A program that starts a process beside the running service', () => {
  let app: TestApp;
  let published: AsyncDisposable;
  beforeAll(async () => {
    app = await startTestApp();
    published = await publishAddresses(app.dataDir, app.addresses);
  });
  afterAll(async () => {
    await published[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  });

  it("is given that service's addresses, hears nothing but the protocol, and ends it by closing its end", async () => {
    const { command, args, env } = programOn(app.dataDir);
    const child = spawn(command, args, { env: { ...env, LOG_LEVEL: 'debug' }, stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    const log = text(child.stderr);
    const said: any[] = [];
    const answers = createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(JSON.parse(line));
      answers.emit('said');
    });
    const say = (message: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const ask = async (id: number, method: string, params: object): Promise<any> => {
      say({ id, method, params });
      while (said.at(-1)?.id !== id) await once(answers, 'said');
      return said.at(-1);
    };
    const clientInfo = { name: 'raw', version: '1' };
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    say({ method: 'notifications/initialized' });
    const presign = { action: 'presign', contentType: 'image/png', size: tinyPng.length };
    const { result } = await ask(2, 'tools/call', { name: 'upload_document', arguments: presign });
    expect(new URL(result.structuredContent.upload.uploadUrl).origin).toBe(app.addresses.objects);
    // A call under way does not keep it.
    say({ id: 3, method: 'tools/call', params: { name: 'list_workflows', arguments: {} } });
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(said.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(await log).not.toContain(app.seed.agentKey);
    // The service goes on.
    expect((await app.call('GET', '/health')).status).toBe(200);
  });
});
