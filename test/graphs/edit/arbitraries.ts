import fc from 'fast-check';
import type { z } from 'zod';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { Operation } from '#src/contracts/resources/operation.ts';
import { unfitJson } from '#graphs/edit/json-value.ts';

export type OperationInput = z.input<typeof Operation>;

/** Few names, so that operations meet what graphs have. */
const ids = ['a', 'b', 'c', 'ocr', 'constructor'];
const channels = ['text', 'pages', 'sum'];
const id = fc.constantFrom(...ids);
const from = fc.constantFrom('START', ...ids);
const to = fc.constantFrom('END', ...ids);
const channel = fc.constantFrom(...channels);
/** Values that a stored graph can hold: an operation that brings the name `__proto__` is refused. */
const value = fc
  .oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('prompt text', null, 7, { $expr: 'text' }))
  .filter((candidate) => unfitJson(candidate) === null);
const config = fc.dictionary(fc.constantFrom('prompt', 'limit', 'toString', 'x/y~z'), value, { maxKeys: 3 });
const route = fc.record({ if: fc.constantFrom('text == ""', 'sum > 1'), to });

const node = fc.record(
  {
    type: fc.constantFrom('noop', 'ocr', 'llm'),
    config,
    onError: fc.oneof(fc.constantFrom('fail' as const, 'continue' as const), fc.record({ goto: id })),
    timeoutMs: fc.integer({ min: 1, max: 5_000 }),
    cache: fc.boolean(),
    notes: fc.constantFrom('one', 'two'),
  },
  { requiredKeys: ['type'] },
);
const state = fc.record(
  {
    reducer: fc.constantFrom('replace' as const, 'append' as const),
    default: value,
    schema: fc.constant({ type: 'string' }),
  },
  { requiredKeys: [] },
);
const router = fc.record(
  { from: id, when: fc.array(route, { minLength: 1, maxLength: 3 }), else: to },
  { requiredKeys: ['from', 'when'] },
);
const map = fc.record({ from: id, map: fc.record({ over: fc.constant('pages'), as: fc.constant('page'), to: id }) });
const edge = fc.oneof({ arbitrary: fc.record({ from, to }), weight: 4 }, router, map);

const mcpTool = fc.record({
  name: fc.constantFrom('sum_up', 'Sum-Up'),
  description: fc.constantFrom('Sums up.', 'Adds'),
  input: fc.constantFrom({ type: 'object' }, { type: 'object', properties: { a: { $ref: '#' } } }),
});

/** Graphs with all that a stored form can say; most would not run. */
export const anyGraph: fc.Arbitrary<StoredGraph> = fc
  .record(
    {
      schemaVersion: fc.constant(1 as const),
      name: fc.constantFrom('One', 'Two'),
      description: fc.constantFrom('', 'said'),
      state: fc.dictionary(channel, state, { maxKeys: 3 }),
      nodes: fc.dictionary(id, node, { maxKeys: 5 }),
      edges: fc.array(edge, { maxLength: 10 }),
      limits: fc.record({ maxSteps: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
      outputs: fc.dictionary(fc.constantFrom('out', 'other'), channel, { maxKeys: 2 }),
      tool: mcpTool,
      layout: fc.dictionary(id, fc.record({ x: fc.integer(), y: fc.integer() }), { maxKeys: 3 }),
    },
    { requiredKeys: ['schemaVersion', 'name', 'nodes', 'edges'] },
  )
  .map((graph) => StoredGraph.parse(JSON.parse(JSON.stringify(graph)) as StoredGraphInput));

const path = fc.oneof(
  fc.constantFrom(
    '/name',
    '/limits',
    '/limits/maxSteps',
    '/edges/-',
    '/edges/0',
    '/edges/0/to',
    '/edges/1/when/0/if',
    '/schemaVersion',
    '/__proto__/x',
    '/layout',
    '/nothing',
    '/nodes',
    '/state',
    '/outputs',
  ),
  fc
    .tuple(
      id,
      fc.constantFrom('', '/type', '/config/prompt', '/config/__proto__', '/onError', '/retry', '/constructor'),
    )
    .map(([name, rest]) => `/nodes/${name}${rest}`),
  fc.tuple(channel, fc.constantFrom('', '/schema/type', '/default')).map(([name, rest]) => `/state/${name}${rest}`),
);

const operation: fc.Arbitrary<OperationInput> = fc.oneof(
  fc.record({ op: fc.constant('add_node' as const), nodeId: id, node }),
  fc.record({ op: fc.constant('remove_node' as const), nodeId: id }),
  fc.record({ op: fc.constant('rename_node' as const), nodeId: id, to: id }),
  fc.record({
    op: fc.constant('set_config' as const),
    nodeId: id,
    config,
    mode: fc.constantFrom('merge' as const, 'replace' as const),
  }),
  fc.record(
    { op: fc.constant('set_field' as const), path, value: fc.oneof(value, node, edge, state) },
    { requiredKeys: ['op', 'path'] },
  ),
  fc.record({
    op: fc.constant('patch_text' as const),
    path,
    find: fc.constantFrom('text', 't', 'prompt', 'O'),
    replace: fc.constantFrom('$&', '', 'words'),
  }),
  fc.record(
    { op: fc.constant('add_edge' as const), edge, at: fc.integer({ min: 0, max: 4 }) },
    { requiredKeys: ['op', 'edge'] },
  ),
  fc.record({ op: fc.constant('remove_edge' as const), from, to }),
  fc.record({ op: fc.constant('insert_between' as const), from, to, nodeId: id, node }),
  fc.record(
    { op: fc.constant('set_router' as const), nodeId: id, routes: fc.array(route, { maxLength: 2 }), else: to },
    { requiredKeys: ['op', 'nodeId', 'routes'] },
  ),
  fc.record({ op: fc.constant('set_state_field' as const), name: channel, channel: state }),
  fc.record({ op: fc.constant('remove_state_field' as const), name: channel }),
  fc.record({ op: fc.constant('set_entry' as const), nodeId: id }),
  fc.record({ op: fc.constant('set_tool' as const), tool: mcpTool }, { requiredKeys: ['op'] }),
  fc.record({
    op: fc.constant('set_limits' as const),
    limits: fc.record({ maxSteps: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
  }),
  fc.record(
    {
      op: fc.constant('set_metadata' as const),
      name: fc.constantFrom('One', 'Three'),
      layout: fc.constantFrom(null, { a: { x: 1 } }),
    },
    { requiredKeys: ['op'] },
  ),
);

export const anyOperation: fc.Arbitrary<Operation> = operation.map((one) =>
  Operation.parse(JSON.parse(JSON.stringify(one))),
);
