import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#src/config/config.ts';
import type { StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { blocksOf } from '#test/examples/guide/plan.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { LogBook, modernClient } from '#test/mcp/listener.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { browserTest } from '#test/support/servers/browser.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { Site, visit } from '#test/web/site.ts';

const way = 'a node that fails: test/graphs/code/own-errors runs it';
const secret = 'walnut-4711-walnut';
/** Files of the operator. Names of packages are replaced by their places: the folder has no node_modules. */
const files: Readonly<Record<string, string>> = {
  'vat.node.ts': blocksOf('your-own-code.md', way).join('\n'),
  'nodes.node.ts': `
    import { z } from 'zod';
    import { codeNode, defineNode, NodeError } from 'inkgraph';
    export const broken = codeNode({ type: 'broken', reads: ['net'], outputs: {}, run: ({ net }) => net.of.nothing });
    export const wordy = codeNode({ type: 'wordy', reads: [], outputs: {}, run() { throw new RangeError('x'.repeat(9_000) + '\\u0007'); } });
    const calls = { params: z.strictObject({ url: z.string(), token: z.string() }), secrets: ['token'], address: 'url' };
    const more = { version: 1, summary: 'Call', reads: [], writes: [], pure: false, defaultTimeoutMs: 5_000, example: { url: 'https://a.example.org/', token: 'x' } };
    export const telling = defineNode({ type: 'telling', ...calls, ...more, async run({ params }) { throw new Error('refused ' + 'z'.repeat(1_990) + params.token); } });
    export const giving = defineNode({ type: 'giving', ...calls, ...more, async run({ params }) { throw new NodeError('refused ' + params.token, { sent: ['with ' + params.token] }); } });
  `,
  'graph.node.ts': `
    import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
    import { langGraphNode } from 'inkgraph';
    const graph = new StateGraph(Annotation.Root({ net: Annotation() }))
      .addNode('inside', () => { throw new TypeError('the graph has no net sum'); })
      .addEdge(START, 'inside').addEdge('inside', END).compile();
    export const lang = langGraphNode(graph, { type: 'lang', reads: ['net'], writes: ['net'] });
  `,
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let app: TestApp;
/** As `npm run dev` starts it. */
let dev: TestApp;
const log = new LogBook();
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files))
    await writeFile(
      join(folder.path, name),
      text.replaceAll(/from '([^']+)'/g, (_, source: string) => `from '${import.meta.resolve(source)}'`),
    );
  const env = { SERVICES: 'api,agents,mcp', WORKFLOWS_DIR: folder.path };
  app = await startTestApp({ env });
  dev = await startTestApp({ env: { ...env, WEB: 'on', CODE_STACKS: 'on' }, overrides: { logger: log } });
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await dev[Symbol.asyncDispose]();
  await folder.remove();
});

/** Runs a workflow with this one node until it has failed; answers the run as the service API has it. */
async function failing(at: TestApp, node: StoredGraphInput['nodes'][string], documentId?: string) {
  const retry = { maxAttempts: 2, initialIntervalMs: 1, backoff: 1, maxIntervalMs: 1 };
  const state = { net: { default: 10 }, gross: { default: 4 }, vat: {} };
  const graph = graphOf({ a: { retry, ...node } }, ['START>a', 'a>END'], { state });
  const workflowId = await addWorkflow(at, graph);
  const { serviceKey: key } = at.seed;
  const documentIds = [documentId ?? (await at.store(tinyPng, 'image/png')).id];
  const body = { workflowId, documentIds };
  const made = await at.call('POST', '/api/service/workflow-executions', { key, body });
  await at.app.idle();
  const { body: done } = await at.call('GET', `/api/service/workflow-executions/${made.body.id}`, { key });
  const runId: string = done.runs[0].runId;
  const run = (await at.call('GET', `/api/service/runs/${runId}`, { key })).body;
  return { runId, run, steps: run.steps as readonly any[], workflowId };
}

describe('Errors of code of the folder', () => {
  verifies('code.errors', async () => {
    const { runId, run, steps } = await failing(app, { type: 'broken' });
    const message = `Node "a" failed: TypeError: Cannot read properties of undefined (reading 'nothing')`;
    expect(run.error).toEqual({ code: 'run.node_failed', message, nodeId: 'a' });
    expect(steps.map(({ error }) => error)).toEqual([
      { code: 'run.node_failed', message },
      { code: 'run.node_failed', message },
    ]);
    expect(JSON.stringify(run)).not.toContain(folder.path);
    const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
    const { content } = await agent.callTool({ name: 'get_run', arguments: { runId } });
    const text = (content as { text: string }[])[0]?.text ?? '';
    // A message of code can quote the document: it stands between the tags, and not in the JSON.
    expect(text.slice(text.indexOf('<untrusted-document'))).toContain(message);
    expect(text.slice(0, text.indexOf('<untrusted-document'))).not.toContain('TypeError');
    await agent.close();
  });

  test('are those of graphs of LangGraph too', async () => {
    const { run } = await failing(app, { type: 'lang' });
    expect(run.error).toMatchObject({ message: 'Node "a" failed: TypeError: the graph has no net sum' });
  });

  test('are told in the words and with the data of a NodeError, which may end the attempts', async () => {
    const document = await app.store(tinyPng, 'image/png');
    const { run, steps, runId } = await failing(app, { type: 'vat' }, document.id);
    expect(run.error).toMatchObject({ message: 'The net sum is larger than the gross sum.' });
    expect(steps).toHaveLength(1);
    expect(JSON.parse(steps[0].errorDataText)).toEqual({ net: 10, gross: 4 });
    const key = app.seed.serviceKey;
    await app.call('DELETE', `/api/service/documents/${document.id}`, { key });
    await app.app.idle();
    const { body } = await app.call('GET', `/api/service/runs/${runId}`, { key });
    expect(JSON.stringify(body)).not.toContain('errorDataText');
  });

  test('are cut, and have no control characters', async () => {
    const { run } = await failing(app, { type: 'wordy' });
    expect(run.error.message).toMatch(/^Node "a" failed: RangeError: x+…$/);
    expect(run.error.message.length).toBeLessThan(2_010);
  });

  test('hold no secret of the config, also where one is cut, and the log neither', async () => {
    const { organizationId, projectId } = dev.seed;
    const value = { value: secret, hosts: ['a.example.org'] };
    await dev.app.deps.secrets.set({ organizationId, projectId }, 'TOKEN', value, 'test');
    const config = { url: 'https://a.example.org/', token: { $secret: 'TOKEN' } };
    const [telling, giving] = [
      await failing(dev, { type: 'telling', config }),
      await failing(dev, { type: 'giving', config }),
    ];
    expect(telling.run.error.message).toMatch(/^Node "a" failed: Error: refused z+/);
    expect(giving.run.error.message).toBe('refused [redacted]');
    expect(JSON.parse(giving.steps[0].errorDataText)).toEqual({ sent: ['with [redacted]'] });
    for (const { run } of [telling, giving]) expect(JSON.stringify(run)).not.toContain('walnut');
    const logged = log.lines.map(({ fields, message }) => [message, Object.values(fields).map(loggedText)]);
    expect(JSON.stringify(logged)).not.toContain('walnut');
  });

  test('have a stack in development alone', async () => {
    const { steps } = await failing(dev, { type: 'broken' });
    expect(steps[0].errorStackText).toMatch(/^TypeError: .*\n +at .*nodes\.node\.ts/);
    const settings = { CODE_STACKS: 'on', EMBEDDED_DB: 'allow' };
    expect(loadConfig(settings).showsStacks).toBe(true);
    expect(loadConfig({ ...settings, NODE_ENV: 'production' }).showsStacks).toBe(false);
    expect(loadConfig({}).showsStacks).toBe(false);
  });

  browserTest('stand on the page of the run, with data and stack of the step', async () => {
    await using site = new Site(dev);
    expect(await dev.app.preparePages()).toBe(true);
    const { runId } = await failing(dev, { type: 'vat' });
    const tab = await site.open(await dev.signIn());
    await visit(tab, `${site.api}/runs/${runId}`);
    await tab.page.getByText('The net sum is larger than the gross sum.').first().waitFor();
    const block = (title: string) =>
      tab.page.locator('section').filter({ has: tab.page.getByText(title, { exact: true }) });
    await block('Data of the error').last().getByText('{"net":10,"gross":4}').waitFor();
    await block('Stack of the error').last().getByText('vat.node.ts').waitFor();
    expect(tab.complaints()).toEqual([]);
  });
});

/** Text of a logged value, with what an error holds. */
function loggedText(value: unknown): string {
  if (!(value instanceof Error)) return JSON.stringify(value) ?? '';
  const own = Object.fromEntries(Object.getOwnPropertyNames(value).map((name) => [name, Reflect.get(value, name)]));
  return `${JSON.stringify(own)} ${value.cause === undefined ? '' : loggedText(value.cause)}`;
}
