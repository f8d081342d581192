import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalogOf } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { defineNode } from '#graphs/define.ts';
import { noop, testNode, visit } from '#test/graphs/support/graph-fixtures.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const write = testNode('write', () => ({ update: {} }), { writes: ['x'] });
const read = testNode('read', () => ({ update: {} }), { reads: ['x'] });
const strict = defineNode({
  type: 'strict',
  version: 3,
  summary: 'Takes a language and pages',
  params: z.strictObject({ language: z.string().describe('Codes joined by +'), pages: z.int().max(9).default(1) }),
  reads: [],
  writes: [],
  pure: true,
  defaultTimeoutMs: 1_000,
  example: { language: 'eng' },
  run: async () => ({ update: {} }),
});
const catalog = catalogOf([noop, visit, write, read, strict]);

type Raw = Record<string, unknown>;

/** A valid graph a -> b of `noop` nodes, with parts exchanged. */
function graph(parts: Raw = {}): Raw {
  return {
    schemaVersion: 1,
    name: 'Test',
    nodes: { a: { type: 'noop' }, b: { type: 'noop' } },
    edges: edges('START>a', 'a>b', 'b>END'),
    ...parts,
  };
}

function edges(...texts: string[]): Raw[] {
  return texts.map((text) => ({ from: text.split('>')[0], to: text.split('>')[1] }));
}

/** Graph of the named types in a line, `state` with the channel x. */
function line(types: readonly string[], x: Raw = {}): Raw {
  const names = types.map((_, at) => `n${at}`);
  return graph({
    state: { x },
    nodes: Object.fromEntries(types.map((type, at) => [`n${at}`, { type }])),
    edges: edges(`START>${names[0]}`, ...names.map((name, at) => `${name}>${names[at + 1] ?? 'END'}`)),
  });
}

type Row = readonly [defect: string, raw: unknown, issues: readonly string[]];

/** `CODE path` of every issue expected, and no others. */
const defects: readonly Row[] = [
  ['not an object', [1], ['SHAPE_INVALID ']],
  ['nothing', null, ['SHAPE_INVALID ']],
  ['a wrong schemaVersion', graph({ schemaVersion: 2 }), ['SHAPE_INVALID /schemaVersion']],
  ['an unknown field', graph({ colour: 'red' }), ['SHAPE_INVALID ']],
  [
    'a bad node id',
    graph({ nodes: { a: { type: 'noop' }, b: { type: 'noop' }, 'B/1': { type: 'noop' } } }),
    ['SHAPE_INVALID /nodes/B~11', 'UNREACHABLE /nodes/B~11'],
  ],
  ['a limit out of range', graph({ limits: { maxSteps: 0 } }), ['SHAPE_INVALID /limits/maxSteps']],
  [
    'an edge to a bad name',
    graph({ edges: edges('START>a', 'a>b', 'b>END', 'b>The End') }),
    ['SHAPE_INVALID /edges/3/to'],
  ],
  ['an edge from END', graph({ edges: edges('START>a', 'a>b', 'b>END', 'END>a') }), ['SHAPE_INVALID /edges/3/from']],
  [
    'an unknown node type',
    graph({ nodes: { a: { type: 'nop' }, b: { type: 'noop' } } }),
    ['NODE_TYPE_UNKNOWN /nodes/a/type'],
  ],
  [
    'an unknown version of a type',
    graph({ nodes: { a: { type: 'strict', typeVersion: 9 }, b: { type: 'noop' } } }),
    ['NODE_TYPE_UNKNOWN /nodes/a/typeVersion'],
  ],
  [
    'a config with a wrong and an unknown field',
    graph({
      nodes: { a: { type: 'strict', typeVersion: 3, config: { langauge: 'eng', pages: 10 } }, b: { type: 'noop' } },
    }),
    [
      'CONFIG_INVALID /nodes/a/config',
      'CONFIG_INVALID /nodes/a/config/language',
      'CONFIG_INVALID /nodes/a/config/pages',
    ],
  ],
  ['a dangling edge', graph({ edges: edges('START>a', 'a>b', 'b>END', 'b>c') }), ['EDGE_TARGET_UNKNOWN /edges/3/to']],
  [
    'an edge that begins nowhere',
    graph({ edges: edges('START>a', 'a>b', 'b>END', 'c>b') }),
    ['EDGE_TARGET_UNKNOWN /edges/3/from'],
  ],
  [
    'a START edge to nowhere',
    graph({ edges: edges('START>c', 'a>b', 'b>END') }),
    ['EDGE_TARGET_UNKNOWN /edges/0/to', 'NO_ENTRY /edges'],
  ],
  ['no entry', graph({ edges: edges('a>b', 'b>END') }), ['NO_ENTRY /edges']],
  ['no nodes at all', graph({ nodes: {}, edges: [] }), ['NO_ENTRY /edges']],
  ['an unreachable node', graph({ edges: edges('START>a', 'a>END', 'b>END') }), ['UNREACHABLE /nodes/b']],
  ['a dead end', graph({ edges: edges('START>a', 'a>b') }), ['DEAD_END /nodes/b']],
  ['a cycle without an exit', graph({ edges: edges('START>a', 'a>b', 'b>a') }), ['CYCLE_WITHOUT_EXIT /nodes/a']],
  [
    'a cycle that is left and taken at once',
    graph({ edges: edges('START>a', 'a>b', 'b>a', 'b>END') }),
    ['CYCLE_WITHOUT_EXIT /nodes/a'],
  ],
  [
    'a node that leads to itself',
    graph({ edges: edges('START>a', 'a>b', 'b>b', 'b>END') }),
    ['CYCLE_WITHOUT_EXIT /nodes/b'],
  ],
  [
    'an undeclared channel of a node',
    graph({ nodes: { a: { type: 'write' }, b: { type: 'noop' } } }),
    ['CHANNEL_UNKNOWN /nodes/a'],
  ],
  ['an undeclared channel of an output', graph({ outputs: { text: 'txet' } }), ['CHANNEL_UNKNOWN /outputs/text']],
  ['a channel that nothing writes', line(['read']), ['CHANNEL_READ_BEFORE_WRITE /nodes/n0']],
  ['a channel that is written too late', line(['read', 'write']), ['CHANNEL_READ_BEFORE_WRITE /nodes/n0']],
  [
    'a channel that is written beside, not before',
    { ...line(['write', 'read']), edges: edges('START>n0', 'START>n1', 'n0>END', 'n1>END') },
    ['CHANNEL_READ_BEFORE_WRITE /nodes/n1'],
  ],
  [
    'parallel writers of a replace channel',
    { ...line(['write', 'write']), edges: edges('START>n0', 'START>n1', 'n0>END', 'n1>END') },
    ['REDUCER_CONFLICT /state/x/reducer'],
  ],
  [
    'parallel writers at different depths',
    { ...line(['write', 'noop', 'write']), edges: edges('START>n0', 'START>n1', 'n1>n2', 'n0>END', 'n2>END') },
    ['REDUCER_CONFLICT /state/x/reducer'],
  ],
  ['a node and a channel of one name', graph({ state: { a: {} } }), ['ID_COLLISION /nodes/a']],
  [
    'names that every object has',
    graph({
      state: { toString: {} },
      nodes: { a: { type: 'noop' }, constructor: { type: 'noop' } },
      edges: edges('START>a', 'a>constructor', 'constructor>END'),
    }),
    ['ID_COLLISION /nodes/constructor', 'ID_COLLISION /state/toString'],
  ],
  [
    'a default that its reducer cannot take',
    graph({ state: { x: { reducer: 'sum', default: 'many' } } }),
    ['CONFIG_INVALID /state/x/default'],
  ],
  [
    'too many channels',
    graph({ state: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`c${at}`, {}])) }),
    ['LIMIT_EXCEEDED /state'],
  ],
  [
    'too many edges',
    graph({ edges: Array.from({ length: 2_001 }, () => ({ from: 'a', to: 'b' })) }),
    ['LIMIT_EXCEEDED /edges'],
  ],
  ['too many bytes', graph({ layout: { text: 'ä'.repeat(300_000) } }), ['LIMIT_EXCEEDED ']],
];

describe('Checking a graph', () => {
  test.each(defects)('finds %s', (_, raw, expected) => {
    const { valid, issues } = checkGraph(raw, catalog);
    expect(issues.map((issue) => `${issue.code} ${issue.path}`).toSorted()).toEqual(expected.toSorted());
    expect(valid).toBe(false);
    for (const issue of issues) {
      expect(issue.message).toMatch(/^\S.*[.?]$/);
      expect(issue.hint).toMatch(/^\S.*[.?]$/);
    }
  });

  test('finds all problems at once', () => {
    const raw = graph({
      name: '',
      nodes: { a: { type: 'nop' }, b: { type: 'write' }, c: { type: 'noop' }, d: { type: 'noop' } },
      edges: edges('START>a', 'a>b', 'b>e', 'c>END', 'a>d'),
      outputs: { x: 'x' },
    });
    expect(new Set(checkGraph(raw, catalog).issues.map((issue) => issue.code))).toEqual(
      new Set([
        'SHAPE_INVALID',
        'NODE_TYPE_UNKNOWN',
        'EDGE_TARGET_UNKNOWN',
        'UNREACHABLE',
        'DEAD_END',
        'CHANNEL_UNKNOWN',
      ]),
    );
  });

  test('takes a right graph, fills in its defaults and counts it', () => {
    const { valid, graph: parsed, issues, stats } = checkGraph(graph(), catalog);
    expect([valid, issues]).toEqual([true, []]);
    expect(parsed?.limits).toEqual({ maxSteps: 100, timeoutMs: 600_000, maxConcurrency: 4 });
    expect(stats).toEqual({ nodes: 2, edges: 3, channels: 0, bytes: JSON.stringify(graph()).length, issuesLeftOut: 0 });
  });

  test.each([
    ['written before', line(['write', 'noop', 'read'])],
    ['given a default', line(['read'], { default: null })],
    ['appended to', line(['read'], { reducer: 'append' })],
  ])('takes a channel that is %s it is read', (_, raw) => {
    expect(checkGraph(raw, catalog).issues).toEqual([]);
  });

  test('warns of a channel whose only writer may be passed over, and lets it run', () => {
    const raw = line(['write', 'read']);
    raw['nodes'] = { n0: { type: 'write', onError: 'continue' }, n1: { type: 'read' } };
    const { valid, issues } = checkGraph(raw, catalog);
    expect(valid).toBe(true);
    expect(issues).toMatchObject([{ severity: 'warning', code: 'CHANNEL_READ_BEFORE_WRITE', nodeId: 'n1' }]);
  });

  test('takes parallel writers of a channel that reduces', () => {
    const raw = {
      ...line(['write', 'write'], { reducer: 'sum' }),
      edges: edges('START>n0', 'START>n1', 'n0>END', 'n1>END'),
    };
    expect(checkGraph(raw, catalog).issues).toEqual([]);
  });

  test('names what was probably meant', () => {
    const hint = (raw: unknown): string | undefined => checkGraph(raw, catalog).issues[0]?.hint;
    expect(hint(graph({ nodes: { a: { type: 'nooop' }, b: { type: 'noop' } } }))).toBe('Did you mean "noop"?');
    expect(hint(graph({ edges: edges('START>a', 'a>b', 'b>END', 'b>aa') }))).toBe('Did you mean "a"?');
    expect(hint(graph({ nodes: { a: { type: 'translate' }, b: { type: 'noop' } } }))).toContain('noop, visit, write');
  });

  test('answers 10 000 nodes at once with LIMIT_EXCEEDED', () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `n${at}`);
    const raw = graph({
      nodes: Object.fromEntries(names.map((name) => [name, { type: 'nope' }])),
      edges: edges('START>n0', ...names.map((name, at) => `${name}>${names[at + 1] ?? 'END'}`)),
    });
    const computed = cpuClock();
    const { valid, issues } = checkGraph(raw, catalog);
    expect(computed()).toBeLessThan(500);
    expect(valid).toBe(false);
    expect(issues.map((issue) => `${issue.code} ${issue.path}`)).toEqual([
      'LIMIT_EXCEEDED /nodes',
      'LIMIT_EXCEEDED /edges',
      'LIMIT_EXCEEDED ',
    ]);
  });

  test('a graph at its limits, all wrong, is answered in time and in measure', () => {
    const names = Array.from({ length: 500 }, (_, at) => `n${at}`);
    const raw = graph({
      state: { x: {} },
      nodes: Object.fromEntries(
        names.map((name, at) => [name, { type: at % 2 ? 'write' : 'read', config: { wrong: 1 } }]),
      ),
      edges: Array.from({ length: 2_000 }, (_, at) => ({
        from: at === 0 ? 'START' : names[(at * 7) % 500],
        to: names[(at * 13) % 500],
      })),
    });
    const computed = cpuClock();
    const { issues, stats } = checkGraph(raw, catalog);
    expect(computed()).toBeLessThan(3_000);
    expect(issues).toHaveLength(200);
    expect(stats.issuesLeftOut).toBeGreaterThan(0);
  });

  test('names of the prototype and hostile values do no harm', () => {
    const raw: unknown = JSON.parse(
      '{"schemaVersion":1,"name":"x","nodes":{"__proto__":{"type":"noop"},"a":null},"edges":[null,1,{"from":{},"to":[]}],"state":"text","outputs":[1]}',
    );
    expect(checkGraph(raw, catalog).valid).toBe(false);
    expect(({} as Raw)['type']).toBeUndefined();
  });
});
