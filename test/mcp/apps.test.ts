import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogOf } from '#graphs/catalog.ts';
import { transform } from '#graphs/nodes/transform.ts';
import { appsExtension } from '#mcp/apps/apps.ts';
import { graphOf, noop } from '#test/graphs/support/graph-fixtures.ts';
import { showInHost, type ToolResult } from '#test/mcp/app-host.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { browserTest, LazyBrowser } from '#test/support/servers/browser.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let at: TestApp;
let agent: Client;
const browser = new LazyBrowser();
let workflowId: string;

beforeAll(async () => {
  at = await startTestApp({ overrides: { catalog: catalogOf([noop, transform]) } });
  agent = await modernClient(new URL('/mcp', at.addresses.mcp), at.seed.agentKey);
  workflowId = await addWorkflow(
    at,
    graphOf({ first: 'noop', second: 'noop' }, ['START>first', 'first>second', 'second>END']),
  );
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await agent.close();
  await at[Symbol.asyncDispose]();
});

const show = (toolName: string, result: ToolResult) => showInHost({ agent, browser }, toolName, result);

test('the extension is declared, and only tools with a view name one', async () => {
  expect(agent.getServerCapabilities()?.extensions).toHaveProperty(appsExtension);
  const { tools } = await agent.listTools();
  const shown = tools.filter(({ _meta }) => _meta !== undefined).map(({ name }) => name);
  expect(shown).toEqual([
    'get_workflow',
    'run_workflow',
    'get_run',
    'run_experiment',
    'get_experiment',
    'improve_workflow',
  ]);
});

browserTest('a workflow is a picture of its nodes; one that is chosen tells its settings; names are text', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const graph = { ...graphOf({ first: 'noop', second: 'noop' }, ['START>first', 'first>second', 'second>END']), name };
  const made = await agent.callTool({ name: 'create_workflow', arguments: { graph } });
  const drafted = (made.structuredContent as any).workflowId as string;
  const result = await agent.callTool({ name: 'get_workflow', arguments: { workflowId: drafted } });
  const { view, errors } = await show('get_workflow', result);
  expect(await view.locator('h1').textContent()).toBe(name);
  expect(await view.locator('img').count()).toBe(0);
  const nodes = view.getByRole('button');
  expect((await nodes.locator('title').allTextContents()).toSorted()).toEqual(['END', 'START', 'first', 'second']);
  await nodes.filter({ hasText: 'second' }).click();
  expect(await view.locator('pre').textContent()).toContain('"type": "noop"');
  expect(errors).toEqual([]);
});

browserTest('a run is followed through the host until it ends', async () => {
  const { id } = await at.store(tinyPng, 'image/png');
  const started = await agent.callTool({ name: 'run_workflow', arguments: { workflowId, documentIds: [id] } });
  expect((started.structuredContent as any).status).toBe('queued');
  const { view, errors } = await show('run_workflow', started);
  await view.locator('header .pill', { hasText: 'succeeded' }).waitFor();
  expect(await view.locator('td').first().textContent()).toBe(id);
  const { runs } = started.structuredContent as any;
  const run = await agent.callTool({ name: 'get_run', arguments: { runId: runs[0].runId } });
  const detail = await show('get_run', run);
  expect(await detail.view.locator('td strong').allTextContents()).toEqual(['first', 'second']);
  expect([...errors, ...detail.errors]).toEqual([]);
});
