import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedAgent } from '#test/mcp/agent.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

/** A graph as JSON, loose enough to be broken. */
type Loose = any;

const set = (values: Record<string, unknown>) => ({ type: 'transform', config: { set: values } });
const good: Loose = {
  schemaVersion: 1,
  name: 'Good',
  state: { word: { default: 'invoice 42' }, total: { default: 0 }, label: {}, note: {} },
  nodes: {
    measure: set({ total: 'size(word)' }),
    long: set({ label: '"long"' }),
    short: set({ label: '"short"' }),
    finish: set({ note: 'label + "!"' }),
  },
  edges: [
    { from: 'START', to: 'measure' },
    { from: 'measure', when: [{ if: 'total > 5', to: 'long' }], else: 'short' },
    { from: 'long', to: 'finish' },
    { from: 'short', to: 'finish' },
    { from: 'finish', to: 'END' },
  ],
  outputs: { label: 'label', note: 'note' },
};

/** Each is broken in another way; with what the run answers where there is only one way to mend it. */
const seeds: readonly (readonly [string, (graph: Loose) => unknown, string?])[] = [
  ['a dangling edge', (g) => g.edges.push({ from: 'finish', to: 'archive' }), 'long!'],
  ['an edge to a node under its old name', (g) => (g.edges[2].to = 'finsih'), 'long!'],
  ['an unknown node type', (g) => (g.nodes.long.type = 'transfrom'), 'long!'],
  ['a missing parameter', (g) => (g.nodes.finish.config = {})],
  ['a parameter of a wrong type', (g) => (g.nodes.short.config.set.label = 5), 'long!'],
  [
    'an unreachable node',
    (g) => {
      g.nodes.lost = set({ note: '"lost"' });
      g.edges.push({ from: 'lost', to: 'finish' });
    },
    'long!',
  ],
  ['no edge from START', (g) => g.edges.shift(), 'long!'],
  ['a cycle without an exit', (g) => g.edges.push({ from: 'finish', to: 'measure' }), 'long!'],
  ['an output of a channel under its old name', (g) => (g.outputs.note = 'nte'), 'long!'],
  ['a condition in another language', (g) => (g.edges[1].when[0].if = 'total > 5 and not (word = "")'), 'long!'],
  ['a reference to a channel under its old name', (g) => (g.edges[1].when[0].if = 'totl > 5'), 'long!'],
  ['a router case that leads nowhere', (g) => (g.edges[1].when[0].to = 'archive')],
  [
    'three of these at once',
    (g) => {
      g.edges.shift();
      g.nodes.long.type = 'transfrom';
      g.nodes.finish.config.set.note = 'labl + "!"';
    },
    'long!',
  ],
];

let at: TestApp;
let client: Client;
let documentId: string;
beforeAll(async () => {
  at = await startTestApp();
  client = await modernClient(new URL('/mcp', at.addresses.mcp), at.seed.agentKey);
  documentId = (await at.store(tinyPng, 'image/png')).id;
}, 60_000);
afterAll(async () => {
  await client.close();
  await at[Symbol.asyncDispose]();
});

async function seeded(breaks: (graph: Loose) => unknown): Promise<string> {
  const graph: Loose = structuredClone(good);
  breaks(graph);
  const { structuredContent } = await client.callTool({ name: 'create_workflow', arguments: { graph } });
  const { workflowId, valid } = structuredContent as { workflowId: string; valid: boolean };
  expect(valid, 'it is broken').toBe(false);
  return workflowId;
}

/** Output of the newest run of a workflow. */
async function noteOf(workflowId: string): Promise<unknown> {
  const list = await client.callTool({ name: 'list_runs', arguments: { workflowId } });
  const [run] = (list.structuredContent as { runs: { runId: string }[] }).runs;
  const input = { runId: run?.runId, include: ['outputs'] };
  const { structuredContent } = await client.callTool({ name: 'get_run', arguments: input });
  return (structuredContent as { run: { outputs: { note: unknown } } }).run.outputs.note;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

describe('a program without a model, over nothing but the answers of the tools', () => {
  it('mends every broken workflow, publishes it and runs it once', { timeout: 60_000 }, async () => {
    const mended = seeds.map(async ([name, breaks, note]) => {
      const workflowId = await seeded(breaks);
      const agent = new ScriptedAgent(client);
      const status = await agent.mendAndRun(workflowId, documentId);
      const called = agent.calls.map((call) => call.name);
      expect(status, `${name}: ${called.join(', ')}`).toBe('succeeded');
      expect(called.filter((one) => one === 'run_workflow')).toHaveLength(1);
      if (note !== undefined) expect(await noteOf(workflowId), name).toBe(note);
      const sum = (of: 'textTokens' | 'structuredTokens'): number =>
        agent.calls.reduce((total, call) => total + call[of], 0);
      return { calls: called.length, text: sum('textTokens'), structured: sum('structuredTokens') };
    });
    const costs = await Promise.all(mended);
    const most = (of: (cost: (typeof costs)[number]) => number): number => Math.max(...costs.map(of));
    const numbers = {
      workflows: costs.length,
      medianCalls: median(costs.map(({ calls }) => calls)),
      mostCalls: most(({ calls }) => calls),
      mostTextTokens: most(({ text }) => text),
      mostStructuredTokens: most(({ structured }) => structured),
    };
    process.stdout.write(`scripted agent: ${JSON.stringify(numbers)}\n`);
    expect(costs.length).toBeGreaterThanOrEqual(10);
    expect(numbers.medianCalls).toBeLessThanOrEqual(6);
    expect(
      most(({ text, structured }) => text + structured),
      'even where a client shows its model both',
    ).toBeLessThan(10_000);
  });
});
