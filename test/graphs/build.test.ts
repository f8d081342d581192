import { beforeEach, describe, expect, test } from 'vitest';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { channel, defineWorkflow, node } from '#graphs/build.ts';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { createCompiledCache } from '#graphs/run/compiled-cache.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import { graphHash } from '#graphs/hash.ts';
import { loadImage } from '#graphs/nodes/load-image.ts';
import { ocr } from '#graphs/nodes/ocr.ts';
import { codeWorkflows } from '#graphs/workflows.ts';

const workflow = defineWorkflow({
  id: 'wf_test',
  name: 'Test',
  description: '',
  state: { document: channel(z.object({ pages: z.int() })), ocr: channel(z.unknown(), { default: null }) },
  nodes: { load: node(loadImage, {}), one: node(ocr, { language: 'eng' }, { timeoutMs: 5 }), two: node(ocr, {}) },
  edges: [
    ['START', 'load'],
    ['load', ['one', 'two']],
    [['one', 'two'], 'END'],
  ],
  outputs: { text: 'ocr' },
});

describe('Workflows in code', () => {
  test('emit the JSON of a stored graph', () => {
    expect(StoredGraph.parse(JSON.parse(JSON.stringify(workflow.graph)))).toEqual(workflow.graph);
    expect(workflow.graph.edges).toEqual([
      { from: 'START', to: 'load' },
      { from: 'load', to: 'one' },
      { from: 'load', to: 'two' },
      { from: 'one', to: 'END' },
      { from: 'two', to: 'END' },
    ]);
    expect(workflow.graph.nodes['one']).toMatchObject({
      type: 'ocr',
      typeVersion: 1,
      config: { language: 'eng' },
      timeoutMs: 5,
    });
    expect(workflow.graph.state['document']?.schema).toMatchObject({ type: 'object', required: ['pages'] });
  });

  test('are typed: wrong configs, names and channels do not compile', () => {
    // @ts-expect-error -- not a field of ocr
    node(ocr, { langauge: 'eng' });
    // @ts-expect-error -- a number is asked for
    node(ocr, { timeoutMs: '5' });
    const parts = { id: 'wf_x', name: 'x', description: '', state: {}, nodes: { load: node(loadImage, {}) } };
    // @ts-expect-error -- there is no node "lod"
    expect(() => defineWorkflow({ ...parts, edges: [['START', 'lod']], outputs: {} })).not.toThrow();
    // @ts-expect-error -- there is no channel "x"
    expect(() => defineWorkflow({ ...parts, edges: [], outputs: { a: 'x' } })).not.toThrow();
  });

  test.each(codeWorkflows.map((one) => [one.id, one] as const))(
    '%s is valid and compiles',
    async (_, { graph, graphHash: hash }) => {
      expect(checkGraph(graph, catalog)).toMatchObject({ valid: true, issues: [] });
      expect((await compileGraph(graph, { catalog, checkpointer: new MemorySaver() })).graphHash).toBe(hash);
    },
  );

  test('have ids of their own', () => {
    expect(new Set(codeWorkflows.map((one) => one.id)).size).toBe(codeWorkflows.length);
  });
});

describe('The hash of a graph', () => {
  test('is of everything but the layout, in any order of members', () => {
    const { graph } = workflow;
    const reordered = StoredGraph.parse(
      Object.fromEntries(Object.entries({ ...graph, layout: { one: [1, 2] } }).toReversed()),
    );
    expect(graphHash(reordered)).toBe(workflow.graphHash);
    expect(graphHash({ ...graph, name: 'Other' })).not.toBe(workflow.graphHash);
    expect(graphHash({ ...graph, edges: graph.edges.toReversed() })).not.toBe(workflow.graphHash);
    expect(workflow.graphHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('Compiled graphs', () => {
  let compilations = 0;
  beforeEach(() => {
    compilations = 0;
  });
  const compile = (): ReturnType<typeof compileGraph> => {
    compilations += 1;
    return compileGraph(workflow.graph, { catalog, checkpointer: new MemorySaver() });
  };

  test('are compiled once per hash, however many ask at once', async () => {
    const cache = createCompiledCache(2);
    const all = await Promise.all([cache.get('a', compile), cache.get('a', compile), cache.get('b', compile)]);
    expect(all[0]).toBe(all[1]);
    expect(compilations).toBe(2);
  });

  test('the one not used for longest makes room', async () => {
    const cache = createCompiledCache(2);
    for (const hash of ['a', 'b', 'a', 'c', 'a']) await cache.get(hash, compile);
    expect(compilations).toBe(3);
    await cache.get('b', compile);
    expect(compilations).toBe(4);
  });

  test('a failed compilation is not kept', async () => {
    const cache = createCompiledCache(2);
    await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await cache.get('a', compile);
    expect(compilations).toBe(1);
  });
});
