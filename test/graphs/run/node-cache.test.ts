import { z } from 'zod';
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { defineNode, type NodeDefinition } from '#graphs/define.ts';
import { runGraph, StepLog } from '#test/graphs/support/graph-fixtures.ts';
import type { CachedOutcome, NodeCache } from '#src/stores/node-cache.ts';

/** Keeps outcomes as the store does, without its delay. */
function memoryCache(): Pick<NodeCache, 'get' | 'put'> & { readonly kept: Map<string, CachedOutcome> } {
  const kept = new Map<string, CachedOutcome>();
  return {
    kept,
    get: async (organizationId, projectId, key) => kept.get(`${organizationId}/${projectId}/${key}`) ?? null,
    put: ({ organizationId, projectId }, key, outcome) => kept.set(`${organizationId}/${projectId}/${key}`, outcome),
  };
}

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

function textNode(
  type: string,
  more: Partial<NodeDefinition> & { reads?: readonly string[]; writes: readonly string[] },
) {
  return defineNode({
    type,
    version: 1,
    summary: type,
    params: z.strictObject({ text: z.string().default('') }),
    reads: [],
    pure: true,
    defaultTimeoutMs: 5_000,
    example: {},
    async run({ nodeId, params, state }) {
      ran.push(nodeId);
      const [channel = ''] = more.writes;
      return { update: { [channel]: [state['one'], params['text']].join('') }, modelLabel: 'test/1' };
    },
    ...more,
  });
}

const first = textNode('first', { writes: ['one'] });
const second = textNode('second', { reads: ['one'], writes: ['two'], secrets: ['text'] });
const impure = textNode('impure', { writes: ['two'], pure: false });
const engine = textNode('engine', { writes: ['one'], dependsOn: () => [label] });
let label = 'engine/1';
const failing = textNode('failing', {
  writes: ['two'],
  secrets: ['text'],
  run: async ({ params }) => {
    throw new AppError('request.invalid', `The other side says: ${String(params['text'])}`);
  },
});
const definitions = [first, second, impure, engine, failing];

function graph(
  last: Record<string, unknown>,
  begin: Record<string, unknown> = { type: 'first', config: { text: 'x' } },
) {
  return StoredGraph.parse({
    schemaVersion: 1,
    name: 'T',
    state: { one: {}, two: {} },
    nodes: { a: begin, b: last },
    edges: [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'END' },
    ],
    outputs: { one: 'one', two: 'two' },
  });
}

describe('The node cache', () => {
  test('a variant of a workflow runs only what changed, and the steps tell whose outcome was taken', async () => {
    const cache = memoryCache();
    const parts = { cache };
    await runGraph(graph({ type: 'second', config: { text: '1' } }), { definitions, parts, runId: 'run_1' });
    const log = new StepLog();
    const variant = graph({ type: 'second', config: { text: '2' } });
    const { outputs } = await runGraph(variant, { definitions, parts, runId: 'run_2', log });
    expect(outputs).toEqual({ one: 'x', two: 'x2' });
    expect(ran).toEqual(['a', 'b', 'b']);
    expect(log.finished).toMatchObject([
      { path: 'a', status: 'succeeded', cachedFrom: 'run_1', modelLabel: 'test/1' },
      { path: 'b', status: 'succeeded', cachedFrom: null },
    ]);
  });

  test.each([
    ['an impure node', { type: 'impure' }],
    ['a node that opts out', { type: 'second', cache: false }],
    ['a node with a secret', { type: 'second', config: { text: { $secret: 'TOKEN' } } }],
  ])('%s runs every time', async (_what, last) => {
    const revealSecrets = async () => new Map([['TOKEN', { value: 'secret-value', hosts: [] }]]);
    const options = { definitions, parts: { cache: memoryCache(), revealSecrets } };
    await runGraph(graph(last), { ...options, runId: 'run_1' });
    await runGraph(graph(last), { ...options, runId: 'run_2' });
    expect(ran).toEqual(['a', 'b', 'b']);
  });

  test('another input, and another engine behind the node, are other outcomes', async () => {
    const options = { definitions, parts: { cache: memoryCache() } };
    const made = (text: string) => graph({ type: 'second' }, { type: 'engine', config: { text } });
    await runGraph(made('x'), options);
    await runGraph(made('y'), options);
    expect(ran).toEqual(['a', 'b', 'a', 'b']);
    label = 'engine/2';
    await runGraph(made('x'), options);
    expect(ran.slice(4), 'the new engine says the same, so what reads it is known').toEqual(['a']);
  });
});

describe('Secrets in a config', () => {
  const last = (type: string) => ({ type, config: { text: { $secret: 'TOKEN' } } });
  const revealSecrets = async () => new Map([['TOKEN', { value: 'secret-value', hosts: [] }]]);

  test('reach the node, and nothing that is kept of the step', async () => {
    const log = new StepLog();
    const { outputs } = await runGraph(graph(last('second')), { definitions, log, parts: { revealSecrets } });
    expect(ran).toEqual(['a', 'b']);
    expect(JSON.stringify([outputs, log.started, log.finished])).not.toContain('secret-value');
    expect(outputs['two']).toMatch(/^x\[/);
  });

  test('are refused in a field that does not say it takes them', async () => {
    const running = runGraph(graph(last('impure')), { definitions, parts: { revealSecrets } });
    await expect(running).rejects.toMatchObject({
      code: 'workflow.invalid',
      detail: expect.stringContaining('$secret'),
    });
    expect(ran).toEqual([]);
  });

  test('are cut out of errors', async () => {
    const log = new StepLog();
    const running = runGraph(graph(last('failing')), { definitions, log, parts: { revealSecrets } });
    await expect(running).rejects.toMatchObject({ detail: expect.not.stringContaining('secret-value') });
    expect(JSON.stringify(log.finished)).not.toContain('secret-value');
  });

  test('that the project does not have fail the node and are named', async () => {
    const running = runGraph(graph(last('second')), { definitions, parts: { revealSecrets: async () => new Map() } });
    await expect(running).rejects.toMatchObject({ code: 'secret.unknown', detail: expect.stringContaining('"TOKEN"') });
  });
});
