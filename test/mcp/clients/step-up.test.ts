import * as newest from '@modelcontextprotocol/sdk/client/index.js';
import * as newestHttp from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as sdk125 from 'mcp-sdk-1.25/client/index.js';
import * as sdk125Http from 'mcp-sdk-1.25/client/streamableHttp.js';
import * as sdk129 from 'mcp-sdk-1.29/client/index.js';
import * as sdk129Http from 'mcp-sdk-1.29/client/streamableHttp.js';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { firstScopes } from '#src/contracts/scopes.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { browserTest, LazyBrowser } from '#test/support/servers/browser.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { startTestApp } from '#test/support/test-app.ts';
import { Program } from './program.ts';

/** The program's own address, at which the browser comes back. */
const landing = await startOutside((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Back in the program</title>');
});
const app = await startTestApp();
const browser = new LazyBrowser();
let person: Promise<Page> | null = null;
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await landing[Symbol.asyncDispose]();
});

/** One browser for all clients. The person signs in at the first request for consent. */
async function signedIn(asked: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(asked);
  await page.getByLabel('E-mail address').fill(app.seed.operatorEmail);
  await page.getByLabel('Password').fill(app.seed.operatorPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Connect a program' }).waitFor();
  return page;
}

/** The person allows what the page shows, for an hour: without a refresh token. Returns the code. */
async function allow(asked: URL | undefined): Promise<string> {
  if (asked === undefined) throw new Error('nobody asked for consent');
  person ??= signedIn(asked.href);
  const page = await person;
  await page.goto(asked.href);
  await page.getByRole('radio', { name: /^1 hour/ }).check();
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.waitForURL(`${landing.url}/callback?*`);
  expect(await page.title()).toBe('Back in the program');
  return new URL(page.url()).searchParams.get('code') ?? '';
}

/** The versions have the same members; their types are of three packages. */
type Sdk = readonly [typeof newest, typeof newestHttp];
const versions = {
  '1.25.3': [sdk125, sdk125Http] as unknown as Sdk,
  '1.29.0': [sdk129, sdk129Http] as unknown as Sdk,
  '1.32.2': [newest, newestHttp] as Sdk,
};

for (const [version, [{ Client }, { StreamableHTTPClientTransport }]] of Object.entries(versions))
  browserTest(
    `SDK ${version} asks its person in a browser for what a tool needs, and keeps its session and subscription`,
    async () => {
      const url = new URL('/mcp', app.addresses.mcp);
      const program = new Program(undefined, `${landing.url}/callback`);
      const transport = () => new StreamableHTTPClientTransport(url, { authProvider: program, fetch: program.fetch });
      const client = new Client({ name: 'stepping', version });
      const first = transport();
      await expect(client.connect(first)).rejects.toThrow(/unauthorized/i);
      await first.finishAuth(await allow(program.asked[0]));
      expect(program.held).not.toHaveProperty('refresh_token');
      const wire = transport();
      await client.connect(wire);
      const updated: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));

      const owner = await modernClient(url, app.seed.agentKey);
      const nodes = { a: { type: 'transform', config: { set: { out: '1' } } } };
      const graph = graphOf(nodes, ['START>a', 'a>END'], { name: `Of ${version}`, state: { out: {} } });
      const made = await owner.callTool({ name: 'create_workflow', arguments: { graph } });
      await owner.close();
      const { workflowId } = made.structuredContent as { workflowId: string };
      const uri = `inkgraph://workflows/${workflowId}`;
      await client.subscribeResource({ uri });
      const { sessionId } = wire;
      const operations = [{ op: 'set_metadata', description: `Changed by SDK ${version}` }];
      const wish = { name: 'update_workflow', arguments: { workflowId, baseVersion: 1, operations, dryRun: false } };

      program.sent.length = 0;
      await expect(client.callTool(wish)).rejects.toThrow(/unauthorized/i);
      expect(program.sent[0]).toBe('POST /mcp 403');
      const asked = program.asked[1]?.searchParams.get('scope')?.split(' ');
      expect(new Set(asked)).toEqual(new Set([...firstScopes, 'workflows:write']));
      await wire.finishAuth(await allow(program.asked[1]));
      const edited = await client.callTool(wish);
      expect(edited.isError, JSON.stringify(edited.content)).not.toBe(true);
      expect(wire.sessionId).toBe(sessionId);
      await expect.poll(() => updated).toContain(uri);
      expect(program.asked).toHaveLength(2);
      await client.close();
    },
    60_000,
  );
