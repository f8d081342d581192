import { describe, expect, it } from 'vitest';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { Operations } from '#src/contracts/resources/operation.ts';
import { AppError } from '#src/domain/app-error.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { diffGraphs } from '#graphs/edit/diff.ts';
import type { OperationInput } from './arbitraries.ts';

const base = StoredGraph.parse({
  schemaVersion: 1,
  name: 'Base',
  state: { text: { default: '' }, pages: {} },
  nodes: {
    load: { type: 'load_image' },
    ocr: { type: 'ocr', config: { prompt: 'Read all. Read well.', limit: 3 }, onError: { goto: 'mend' } },
    mend: { type: 'noop' },
    each: { type: 'noop' },
  },
  edges: [
    { from: 'START', to: 'load' },
    { from: 'load', to: 'ocr' },
    { from: 'ocr', when: [{ if: 'text == ""', to: 'mend' }], else: 'END' },
    { from: 'mend', map: { over: 'pages', as: 'page', to: 'each' } },
    { from: 'each', to: 'END' },
  ],
  outputs: { out: 'text' },
  layout: { ocr: { x: 1 }, load: { x: 2 } },
} satisfies StoredGraphInput);

const apply = (...operations: OperationInput[]): StoredGraph =>
  applyOperations(base, Operations.parse(operations)).graph;

function refusal(...operations: OperationInput[]): AppError {
  try {
    apply(...operations);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('operations on nodes', () => {
  it('renaming follows edges, routes, maps, error routes and the layout, and keeps the place', () => {
    const changed = apply(
      { op: 'rename_node', nodeId: 'mend', to: 'repair' },
      { op: 'rename_node', nodeId: 'each', to: 'one' },
      { op: 'rename_node', nodeId: 'ocr', to: 'read' },
    );
    expect(Object.keys(changed.nodes)).toEqual(['load', 'read', 'repair', 'one']);
    expect(changed.nodes['read']?.onError).toMatchObject({ goto: 'repair' });
    expect(changed.edges).toMatchObject([
      { from: 'START', to: 'load' },
      { from: 'load', to: 'read' },
      { from: 'read', when: [{ to: 'repair' }], else: 'END' },
      { from: 'repair', map: { to: 'one' } },
      { from: 'one', to: 'END' },
    ]);
    expect(changed.layout).toEqual({ read: { x: 1 }, load: { x: 2 } });
  });

  it('removing takes edges, routes and maps along, and error routes become fail', () => {
    const changed = apply({ op: 'remove_node', nodeId: 'mend' });
    expect(changed.edges).toEqual([
      { from: 'START', to: 'load' },
      { from: 'load', to: 'ocr' },
      { from: 'each', to: 'END' },
    ]);
    expect(changed.nodes['ocr']?.onError).toBe('fail');
    expect(apply({ op: 'remove_node', nodeId: 'each' }).edges.some((edge) => 'map' in edge)).toBe(false);
    expect(apply({ op: 'remove_node', nodeId: 'ocr' }).layout).toEqual({ load: { x: 2 } });
  });

  it('a config is merged, with null removing, or replaced', () => {
    const config = { limit: null, languages: ['deu'] };
    expect(apply({ op: 'set_config', nodeId: 'ocr', config }).nodes['ocr']?.config).toEqual({
      prompt: 'Read all. Read well.',
      languages: ['deu'],
    });
    expect(apply({ op: 'set_config', nodeId: 'ocr', config, mode: 'replace' }).nodes['ocr']?.config).toEqual(config);
  });

  it('a removed channel is shown by no output any more', () => {
    expect(apply({ op: 'remove_state_field', name: 'text' })).toMatchObject({ outputs: {} });
  });
});

describe('operations together', () => {
  it('share nothing with the graph they lead to: a later one changes no earlier one', () => {
    const operations = Operations.parse([
      { op: 'add_node', nodeId: 'new', node: { type: 'noop', config: { a: 1 } } },
      { op: 'set_field', path: '/nodes/new/config/a', value: { deep: 1 } },
      { op: 'set_field', path: '/nodes/new/config/a/deep', value: 2 },
    ] satisfies OperationInput[]);
    const before = structuredClone(operations);
    expect(applyOperations(base, operations).graph.nodes['new']?.config).toEqual({ a: { deep: 2 } });
    expect(operations).toEqual(before);
  });
});

describe('operations on edges', () => {
  it('a node is inserted into a plain edge, and into a route', () => {
    const node = { type: 'noop' };
    expect(apply({ op: 'insert_between', from: 'load', to: 'ocr', nodeId: 'new', node }).edges.slice(1, 3)).toEqual([
      { from: 'load', to: 'new' },
      { from: 'new', to: 'ocr' },
    ]);
    const changed = apply({ op: 'insert_between', from: 'ocr', to: 'END', nodeId: 'new', node });
    expect(changed.edges.slice(2, 4)).toMatchObject([
      { from: 'ocr', else: 'new' },
      { from: 'new', to: 'END' },
    ]);
  });

  it('a router is set in its place, and removed without routes', () => {
    const routes = [{ if: 'true', to: 'END' }];
    expect(apply({ op: 'set_router', nodeId: 'ocr', routes }).edges[2]).toEqual({ from: 'ocr', when: routes });
    expect(apply({ op: 'set_router', nodeId: 'ocr', routes: [] }).edges).toHaveLength(4);
    expect(apply({ op: 'set_router', nodeId: 'load', routes }).edges.at(-1)).toEqual({ from: 'load', when: routes });
  });

  it('removing an edge takes every way from one to the other, and a router that has no route left', () => {
    expect(apply({ op: 'remove_edge', from: 'ocr', to: 'mend' }).edges).toHaveLength(4);
    expect(apply({ op: 'remove_edge', from: 'ocr', to: 'END' }).edges[2]).not.toHaveProperty('else');
    expect(apply({ op: 'remove_edge', from: 'mend', to: 'each' }).edges).toHaveLength(4);
  });

  it('the entry is one node', () => {
    const changed = apply({ op: 'add_edge', edge: { from: 'START', to: 'mend' } }, { op: 'set_entry', nodeId: 'ocr' });
    expect(changed.edges.filter((edge) => edge.from === 'START')).toEqual([{ from: 'START', to: 'ocr' }]);
    expect(changed.edges[0]).toEqual({ from: 'START', to: 'ocr' });
  });
});

describe('operations on fields', () => {
  it('set, append and remove what a pointer names; what has a default gets it back', () => {
    const changed = apply(
      { op: 'set_field', path: '/nodes/ocr/timeoutMs', value: 5 },
      { op: 'set_field', path: '/nodes/ocr/onError' },
      { op: 'set_field', path: '/edges/-', value: { from: 'load', to: 'END' } },
      { op: 'set_field', path: '/edges/2/when/0/to', value: 'END' },
      { op: 'set_limits', limits: { maxSteps: 7 } },
    );
    expect(changed.nodes['ocr']).toMatchObject({ timeoutMs: 5, onError: 'fail' });
    expect(changed.edges.at(-1)).toEqual({ from: 'load', to: 'END' });
    expect(changed.edges[2]).toMatchObject({ when: [{ to: 'END' }] });
  });

  it('limits that are not named stay as they are', () => {
    const set: OperationInput = { op: 'set_limits', limits: { timeoutMs: 5_000 } };
    expect(apply(set, { op: 'set_limits', limits: { maxSteps: 7 } }).limits).toEqual({
      maxSteps: 7,
      timeoutMs: 5_000,
      maxConcurrency: 4,
    });
  });

  it('text is patched where it occurs once, literally', () => {
    const path = '/nodes/ocr/config/prompt';
    const patched = apply({ op: 'patch_text', path, find: 'all', replace: "$& $' all" });
    expect(patched.nodes['ocr']?.config['prompt']).toBe("Read $& $' all. Read well.");
    expect(refusal({ op: 'patch_text', path, find: 'Read', replace: '' }).detail).toContain('more than once');
    expect(refusal({ op: 'patch_text', path, find: 'absent', replace: '' }).detail).toContain('does not contain');
  });
});

describe('an operation that cannot be applied', () => {
  const node = { type: 'noop' };
  const cases: [string, OperationInput, string, RegExp][] = [
    ['an unknown node', { op: 'remove_node', nodeId: 'ocrr' }, '/nodeId', /Did you mean "ocr"/],
    ['a taken id', { op: 'add_node', nodeId: 'ocr', node }, '/nodeId', /already/],
    ['a taken name', { op: 'rename_node', nodeId: 'ocr', to: 'load' }, '/to', /already/],
    ['a node named like a built-in', { op: 'remove_node', nodeId: 'constructor' }, '/nodeId', /no node/],
    ['an edge to nowhere', { op: 'add_edge', edge: { from: 'ocr', to: 'mendd' } }, '/edge/to', /Did you mean "mend"/],
    ['a doubled edge', { op: 'add_edge', edge: { from: 'load', to: 'ocr' } }, '/edge', /exists already/],
    [
      'a second router',
      { op: 'add_edge', edge: { from: 'ocr', when: [{ if: 'true', to: 'END' }] } },
      '/edge/from',
      /set_router/,
    ],
    ['a missing edge', { op: 'remove_edge', from: 'load', to: 'END' }, '/to', /lead to: ocr/],
    [
      'a node inside a map',
      { op: 'insert_between', from: 'mend', to: 'each', nodeId: 'n', node },
      '/to',
      /A map leads/,
    ],
    ['a router of else only', { op: 'set_router', nodeId: 'load', routes: [], else: 'END' }, '/routes', /plain edge/],
    ['an unknown channel', { op: 'remove_state_field', name: 'txt' }, '/name', /Did you mean "text"/],
    ['an unknown field', { op: 'set_field', path: '/nodez/ocr', value: 1 }, '/path', /Did you mean "nodes"/],
    ['a value of the wrong shape', { op: 'set_field', path: '/nodes/ocr/timeoutMs', value: 'x' }, '/path', /timeoutMs/],
    ['a required field', { op: 'set_field', path: '/schemaVersion' }, '/path', /break the shape of the graph/],
    ['a prototype', { op: 'set_field', path: '/nodes/ocr/config/__proto__', value: {} }, '/path', /__proto__/],
    [
      'a prototype’s member',
      { op: 'set_field', path: '/state/constructor/prototype', value: 1 },
      '/path',
      /no field "/,
    ],
  ];
  it.each(cases)('names %s', (_, operation, pointer, words) => {
    const thrown = refusal({ op: 'set_metadata', name: 'Other' }, operation);
    expect(thrown.code).toBe('workflow.operation_refused');
    expect(thrown.errors[0]?.pointer).toBe(`/operations/1${pointer}`);
    expect(thrown.detail).toContain(`Operation 1 (${operation.op})`);
    expect(thrown.detail).toMatch(words);
  });

  it('is also one whose value would smuggle a prototype in, or is nested without end', () => {
    const smuggled = JSON.parse('{"deep":{"__proto__":{"x":1}}}') as Record<string, unknown>;
    expect(refusal({ op: 'set_config', nodeId: 'ocr', config: smuggled }).detail).toContain('__proto__');
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    expect(refusal({ op: 'set_field', path: '/nodes/ocr/config/x', value: deep }).detail).toContain('100 levels');
  });

  it('is the first that makes the graph too large', () => {
    const large = (name: string): OperationInput => ({
      op: 'set_config',
      nodeId: 'ocr',
      config: { [name]: 'x'.repeat(300_000) },
    });
    expect(refusal(large('a'), large('b'), large('c')).errors[0]?.pointer).toBe('/operations/1');
    expect(() => apply(large('a'), large('b'), { op: 'set_config', nodeId: 'ocr', config: { b: null } })).not.toThrow();
  });

  it('is a node or an edge more than a graph may have', () => {
    const nodes = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`n${index}`, { type: 'noop' }]));
    const edges = Array.from({ length: 2_000 }, (_, index) => ({
      from: `n${index % 500}`,
      to: `n${(index * 7) % 499}`,
    }));
    const full = StoredGraph.parse({ schemaVersion: 1, name: 'Full', nodes, edges });
    for (const operation of [
      { op: 'add_node', nodeId: 'more', node },
      { op: 'set_field', path: '/nodes/more', value: node },
      { op: 'add_edge', edge: { from: 'START', to: 'n1' } },
    ] satisfies OperationInput[])
      expect(() => applyOperations(full, Operations.parse([operation]))).toThrow(/500 nodes|2000 edges/);
  });
});

describe('the difference of two graphs', () => {
  it('is small: a renamed node, one field, one edge', () => {
    const operations = Operations.parse([
      { op: 'rename_node', nodeId: 'mend', to: 'repair' },
      { op: 'set_config', nodeId: 'ocr', config: { limit: null } },
      { op: 'set_field', path: '/nodes/ocr/timeoutMs', value: 9 },
      { op: 'set_router', nodeId: 'ocr', routes: [{ if: 'true', to: 'repair' }] },
      { op: 'add_edge', edge: { from: 'load', to: 'repair' }, at: 2 },
    ] satisfies OperationInput[]);
    const found = diffGraphs(base, applyOperations(base, operations).graph);
    expect(found.map(({ op }) => op).toSorted()).toEqual(operations.map(({ op }) => op).toSorted());
  });
});
