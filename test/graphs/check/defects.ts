import { z } from 'zod';
import { catalogOf } from '#graphs/catalog.ts';
import { defineNode, type NodeDefinition } from '#graphs/define.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { catalog as builtIn } from '#graphs/catalog.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { CheckContext } from '#graphs/check/outline.ts';

/** A graph as JSON, loose enough to be broken. */
export type Loose = any;

const type = (name: string, more: Partial<NodeDefinition>): NodeDefinition =>
  defineNode<z.ZodObject>({
    type: name,
    version: 1,
    summary: `Test node ${name}`,
    params: z.strictObject({}),
    reads: [],
    writes: [],
    pure: false,
    defaultTimeoutMs: 1_000,
    example: {},
    run: async () => ({ update: {} }),
    ...more,
  });

export const defectCatalog = catalogOf([
  ...builtIn.definitions.filter((one) => one.type !== 'workflow'),
  type('step', {}),
  type('split', { writes: ['items'] }),
  type('each', { reads: ['item'], writes: ['results'] }),
  type('collect', { reads: ['results', 'items'], writes: ['total'] }),
  type('ask', {
    params: z.strictObject({
      prompt: z.string().describe('What to ask'),
      temperature: z.number().min(0).max(2).default(1).describe('How free'),
      format: z.enum(['text', 'json']).default('text').describe('Of the answer'),
      key: z.string().max(8).optional().describe('Credential'),
      at: z.string().optional().describe('Where to ask'),
    }),
    templates: ['prompt'],
    secrets: ['key'],
    address: 'at',
    writes: ['answer'],
    example: { prompt: 'Hello' },
  }),
  type('compute', {
    params: z.strictObject({ set: z.record(z.string(), z.string()).describe('Channels by expression') }),
    expressions: ['set'],
    channels: ({ set }) => ({ writes: Object.keys(set ?? {}) }),
    example: { set: { total: '1' } },
  }),
  type('workflow', {
    params: z.strictObject({ workflowId: z.string(), version: z.int().optional() }),
    example: { workflowId: 'wf_other' },
  }),
]);

const plain = (...ways: string[]): Loose[] => ways.map((way) => ({ from: way.split('>')[0], to: way.split('>')[1] }));

/** Map, router, loop, error route, templates, references: nothing wrong with it. */
const rich: Loose = {
  schemaVersion: 1,
  name: 'Rich',
  state: {
    items: { schema: { type: 'array' } },
    results: { schema: { type: 'array' }, reducer: 'append' },
    total: { schema: { type: 'number' } },
    answer: {},
    problem: { default: null },
    note: { default: '' },
  },
  nodes: {
    cut: { type: 'split' },
    work: { type: 'each' },
    gather: { type: 'collect', onError: { goto: 'give_up', set: { problem: 'failed' } } },
    prompt: {
      type: 'ask',
      config: { prompt: 'Total {{ total }}, {{ size(items) }} items', key: { $secret: 'API_KEY' }, at: 'https://a.b' },
    },
    again: { type: 'ask', config: { prompt: 'Better than {{ answer }}', temperature: { $expr: 'total > 1 ? 2 : 0' } } },
    sum_up: { type: 'compute', config: { set: { note: '"all of " + string(total)' } } },
    inner: { type: 'workflow', config: { workflowId: 'wf_other', version: 2 } },
    give_up: { type: 'step' },
  },
  edges: [
    { from: 'START', to: 'cut' },
    { from: 'cut', map: { over: 'items', as: 'item', to: 'work' } },
    { from: 'work', to: 'gather' },
    { from: 'gather', when: [{ if: 'total > 10.5', to: 'prompt' }], else: 'give_up' },
    { from: 'prompt', to: 'again' },
    { from: 'again', when: [{ if: 'answer == "done"', to: 'sum_up' }], else: 'prompt' },
    { from: 'sum_up', to: 'inner' },
    { from: 'inner', to: 'END' },
    { from: 'give_up', to: 'END' },
  ],
  outputs: { total: 'total', note: 'note' },
};

/** Two branches that meet, and writers that exclude each other. */
const branches: Loose = {
  schemaVersion: 1,
  name: 'Branches',
  state: { total: {}, answer: {}, x: { default: 1 } },
  nodes: {
    start: { type: 'compute', config: { set: { total: '1' } } },
    left: { type: 'compute', config: { set: { answer: '"left"' } } },
    right: { type: 'compute', config: { set: { answer: '"right"' } } },
    meet: { type: 'step' },
    beside: { type: 'step' },
  },
  edges: [
    ...plain('START>start', 'start>beside', 'left>meet', 'right>meet', 'beside>meet', 'meet>END'),
    { from: 'start', when: [{ if: 'total > 0', to: 'left' }], else: 'right' },
  ],
  outputs: { answer: 'answer' },
};

/** A loop in a loop, each left through a router. */
const loops: Loose = {
  schemaVersion: 1,
  name: 'Loops',
  state: { total: { default: 0 } },
  nodes: Object.fromEntries(['outer', 'inner', 'turn', 'last', 'done'].map((id) => [id, { type: 'step' }])),
  edges: [
    ...plain('START>outer', 'outer>inner', 'inner>turn', 'done>END'),
    { from: 'turn', when: [{ if: 'total < 3', to: 'inner' }], else: 'last' },
    { from: 'last', when: [{ if: 'total < 9', to: 'outer' }], else: 'done' },
  ],
};

/** One node after the other. */
const line: Loose = {
  schemaVersion: 1,
  name: 'Line',
  state: { items: {}, results: { default: [] }, total: {} },
  nodes: { one: { type: 'split' }, two: { type: 'collect' }, three: { type: 'step' } },
  edges: plain('START>one', 'one>two', 'two>three', 'three>END'),
  outputs: { total: 'total' },
};

/** A node that fails takes another way, which writes what it would have written. */
const rescue: Loose = {
  schemaVersion: 1,
  name: 'Rescue',
  state: { items: {}, results: { default: [] }, total: {} },
  nodes: {
    cut: { type: 'split', onError: { goto: 'rescue', set: { items: [] } } },
    rescue: { type: 'step' },
    gather: { type: 'collect' },
  },
  edges: plain('START>cut', 'cut>gather', 'rescue>gather', 'gather>END'),
};

const intake: Loose = structuredClone(documentIntake.graph);
export const goodGraphs = { rich, branches, loops, line, rescue, intake } as const;

const other = StoredGraph.parse({
  schemaVersion: 1,
  name: 'Other',
  nodes: { a: { type: 'step' } },
  edges: plain('START>a', 'a>END'),
});
const back = StoredGraph.parse({
  ...other,
  nodes: { a: { type: 'workflow', config: { workflowId: 'wf_self' } } },
});
const needy = StoredGraph.parse({
  ...other,
  nodes: { a: { type: 'ask', config: { prompt: 'x', key: { $secret: 'WONDERFUL' } } } },
});
export const defectContext: CheckContext = {
  workflowId: 'wf_self',
  installation: {
    chatModel: null,
    segmenter: null,
    hosts: ['a.b'],
    languages: ['eng'],
    refused: new Map([['https://c.d/x', 'the operator did not list its host c.d (OUTBOUND_ALLOW)']]),
  },
  secrets: ['API_KEY', 'OTHER_KEY'].map((name) => ({ name, hosts: ['a.b'] })),
  subgraphs: (id) => (id === 'wf_other' ? other : id === 'wf_back' ? back : id === 'wf_needy' ? needy : null),
};

export interface Defect {
  readonly name: string;
  readonly good: keyof typeof goodGraphs;
  readonly breaks: (graph: Loose) => void;
  /** `CODE path` of the issue that it must raise. */
  readonly issue: string;
  readonly fixed: boolean;
}

// oxlint-disable-next-line eslint/max-params -- one line for each defect
const row = (
  name: string,
  good: Defect['good'],
  issue: string,
  fix: 'fix' | 'no fix',
  breaks: Defect['breaks'],
): Defect => ({
  name,
  good,
  issue,
  fixed: fix === 'fix',
  breaks,
});

/** The good graph of a defect with the defect in it. */
export function broken({ good, breaks }: Defect): Loose {
  const graph: Loose = structuredClone(goodGraphs[good]);
  breaks(graph);
  return graph;
}

/** Each breaks a good graph in one place. */
export const defects: readonly Defect[] = [
  row('An unknown field of a node', 'line', 'SHAPE_INVALID /nodes/one', 'fix', (g) => (g.nodes.one.colour = 'red')),
  row(
    'A limit out of range',
    'line',
    'SHAPE_INVALID /limits/maxSteps',
    'fix',
    (g) => (g.limits = { maxSteps: 99_999 }),
  ),
  row(
    'A misspelt reducer',
    'line',
    'SHAPE_INVALID /state/items/reducer',
    'fix',
    (g) => (g.state.items.reducer = 'repalce'),
  ),
  row('An edge of no kind', 'line', 'SHAPE_INVALID /edges/4/to', 'no fix', (g) =>
    g.edges.push({ from: 'one', too: 'two' }),
  ),
  row('A router without routes', 'branches', 'SHAPE_INVALID /edges/6/when', 'no fix', (g) => (g.edges[6].when = [])),
  row('Too many channels', 'line', 'LIMIT_EXCEEDED /state', 'no fix', (g) => {
    for (let at = 0; at < 200; at += 1) g.state[`c${at}`] = {};
  }),
  row(
    'A misspelt node type',
    'line',
    'NODE_TYPE_UNKNOWN /nodes/three/type',
    'fix',
    (g) => (g.nodes.three.type = 'stepp'),
  ),
  row(
    'A version that a type does not have',
    'line',
    'NODE_TYPE_UNKNOWN /nodes/three/typeVersion',
    'fix',
    (g) => (g.nodes.three.typeVersion = 7),
  ),
  row(
    'A misspelt config field',
    'rich',
    'CONFIG_INVALID /nodes/again/config',
    'fix',
    (g) => (g.nodes.again.config = { prompt: 'x', formatt: 'json' }),
  ),
  row(
    'An unknown config field',
    'rich',
    'CONFIG_INVALID /nodes/again/config',
    'fix',
    (g) => (g.nodes.again.config.wonderful = 1),
  ),
  row(
    'A config number out of range',
    'rich',
    'CONFIG_INVALID /nodes/again/config/temperature',
    'fix',
    (g) => (g.nodes.again.config.temperature = 3),
  ),
  row(
    'A misspelt choice in a config',
    'rich',
    'CONFIG_INVALID /nodes/again/config/format',
    'fix',
    (g) => (g.nodes.again.config.format = 'jsn'),
  ),
  row(
    'A config number written as text',
    'rich',
    'CONFIG_INVALID /nodes/again/config/temperature',
    'fix',
    (g) => (g.nodes.again.config.temperature = '0.5'),
  ),
  row(
    'A config value of a type that cannot be meant',
    'rich',
    'CONFIG_INVALID /nodes/again/config/temperature',
    'fix',
    (g) => (g.nodes.again.config.temperature = { high: true }),
  ),
  row(
    'A config text that is an object',
    'rich',
    'CONFIG_INVALID /nodes/again/config/prompt',
    'no fix',
    (g) => (g.nodes.again.config.prompt = { text: 'x' }),
  ),
  row(
    'A missing config field',
    'rich',
    'CONFIG_INVALID /nodes/again/config/prompt',
    'no fix',
    (g) => (g.nodes.again.config = {}),
  ),
  row(
    'A default that does not fit its reducer',
    'line',
    'CONFIG_INVALID /state/results/default',
    'fix',
    (g) => (g.state.results = { reducer: 'append', default: 5 }),
  ),
  row('An edge to a misspelt node', 'line', 'EDGE_TARGET_UNKNOWN /edges/2/to', 'fix', (g) => (g.edges[2].to = 'thre')),
  row('An edge to a node that is not there', 'line', 'EDGE_TARGET_UNKNOWN /edges/4/to', 'fix', (g) =>
    g.edges.push(...plain('one>elsewhere')),
  ),
  row('An edge from a node that is not there', 'line', 'EDGE_TARGET_UNKNOWN /edges/4/from', 'fix', (g) =>
    g.edges.push(...plain('elsewhere>two')),
  ),
  row(
    'A route to a misspelt node',
    'branches',
    'EDGE_TARGET_UNKNOWN /edges/6/when/0/to',
    'fix',
    (g) => (g.edges[6].when[0].to = 'leftt'),
  ),
  row(
    'A route to a node that is not there',
    'branches',
    'EDGE_TARGET_UNKNOWN /edges/6/when/0/to',
    'fix',
    (g) => (g.edges[6].when[0].to = 'elsewhere'),
  ),
  row(
    'A map of a node that is not there',
    'rich',
    'EDGE_TARGET_UNKNOWN /edges/1/map/to',
    'fix',
    (g) => (g.edges[1].map.to = 'worker'),
  ),
  row('The same edge twice', 'line', 'EDGE_DUPLICATE /edges/4', 'fix', (g) => g.edges.push(...plain('one>two'))),
  row('No entry', 'line', 'NO_ENTRY /edges', 'fix', (g) => g.edges.shift()),
  row('An unreachable node', 'line', 'UNREACHABLE /nodes/lost', 'fix', (g) => {
    g.nodes.lost = { type: 'step' };
    g.edges.push(...plain('lost>END'));
  }),
  row('A dead end', 'line', 'DEAD_END /nodes/three', 'fix', (g) => g.edges.pop()),
  row('A node whose only way on is after an error', 'rich', 'DEAD_END /nodes/prompt', 'fix', (g) => {
    g.nodes.prompt.onError = { goto: 'again' };
    g.edges.splice(4, 1);
  }),
  row(
    'A cycle without an exit',
    'line',
    'CYCLE_WITHOUT_EXIT /nodes/one',
    'fix',
    (g) => (g.edges[3] = { from: 'three', to: 'one' }),
  ),
  row('A cycle that a plain edge leaves', 'line', 'CYCLE_WITHOUT_EXIT /nodes/two', 'fix', (g) =>
    g.edges.push(...plain('three>two')),
  ),
  row('A node that leads to itself', 'line', 'CYCLE_WITHOUT_EXIT /nodes/three', 'fix', (g) =>
    g.edges.push(...plain('three>three')),
  ),
  row('A router whose every way goes back', 'loops', 'CYCLE_WITHOUT_EXIT /nodes/outer', 'no fix', (g) => {
    g.edges[5] = { from: 'last', when: [{ if: 'total < 9', to: 'outer' }], else: 'inner' };
  }),
  row('An inner loop without an exit', 'loops', 'CYCLE_WITHOUT_EXIT /nodes/inner', 'fix', (g) =>
    g.edges.push(...plain('turn>inner')),
  ),
  row('A loop with two entries', 'loops', 'LOOP_ENTRY_AMBIGUOUS /nodes/inner', 'no fix', (g) =>
    g.edges.push(...plain('START>inner')),
  ),
  row('A router without else', 'branches', 'ROUTER_WITHOUT_ELSE /edges/6', 'fix', (g) => {
    g.edges[6] = {
      from: 'start',
      when: [
        { if: 'total > 0', to: 'left' },
        { if: 'total < 0', to: 'right' },
      ],
    };
  }),
  row(
    'An error route to itself',
    'rich',
    'ERROR_ROUTE_INVALID /nodes/again/onError/goto',
    'fix',
    (g) => (g.nodes.again.onError = { goto: 'again' }),
  ),
  row(
    'An error route to a misspelt node',
    'rich',
    'ERROR_ROUTE_INVALID /nodes/gather/onError/goto',
    'fix',
    (g) => (g.nodes.gather.onError.goto = 'giveup'),
  ),
  row(
    'An error route that sets an unknown channel',
    'rich',
    'ERROR_ROUTE_INVALID /nodes/gather/onError/set/trouble',
    'fix',
    (g) => (g.nodes.gather.onError.set.trouble = 1),
  ),
  row('A channel that nodes need and nobody declared', 'intake', 'CHANNEL_UNKNOWN /nodes/recognize', 'fix', (g) => {
    delete g.state.ocr;
    delete g.outputs.ocr;
  }),
  row(
    'A channel that a config names and nobody declared',
    'rich',
    'CHANNEL_UNKNOWN /nodes/sum_up',
    'fix',
    (g) => (g.nodes.sum_up.config.set.extra = '1'),
  ),
  row(
    'An output of a misspelt channel',
    'line',
    'CHANNEL_UNKNOWN /outputs/total',
    'fix',
    (g) => (g.outputs.total = 'totl'),
  ),
  row(
    'A channel that nothing writes',
    'line',
    'CHANNEL_READ_BEFORE_WRITE /nodes/two',
    'fix',
    (g) => (g.nodes.one.type = 'step'),
  ),
  row(
    'A channel that is written too late',
    'line',
    'CHANNEL_READ_BEFORE_WRITE /nodes/two',
    'fix',
    (g) => (g.edges = plain('START>two', 'two>one', 'one>three', 'three>END')),
  ),
  row('A channel that one of two ways leaves out', 'branches', 'CHANNEL_READ_BEFORE_WRITE /nodes/meet', 'fix', (g) => {
    g.state.results = {};
    g.state.items = { default: [] };
    g.nodes.left.config.set.results = '[]';
    g.nodes.meet.type = 'collect';
    g.edges[4].to = 'END';
  }),
  row('A channel that an error route leaves out', 'rescue', 'CHANNEL_READ_BEFORE_WRITE /nodes/gather', 'fix', (g) => {
    g.nodes.cut.onError.set = {};
  }),
  row('Writers side by side', 'branches', 'REDUCER_CONFLICT /state/answer/reducer', 'fix', (g) => {
    g.nodes.beside = { type: 'compute', config: { set: { answer: '1' } } };
  }),
  row(
    'A map whose items replace each other',
    'rich',
    'REDUCER_CONFLICT /state/results/reducer',
    'fix',
    (g) => (g.state.results.reducer = 'replace'),
  ),
  row('A misspelt field', 'intake', 'FIELD_UNKNOWN /nodes/index/config/x/$expr', 'fix', (g) =>
    Object.assign(g.nodes.index.config, { x: { $expr: 'ocr.charakters' } }),
  ),
  row('A map over a number', 'rich', 'MAP_NOT_ARRAY /edges/1/map/over', 'no fix', (g) => {
    g.state.count = { schema: { type: 'number' }, default: 3 };
    g.edges[1].map.over = 'count';
  }),
  row('A map of a node that others lead to', 'rich', 'MAP_TARGET_INVALID /edges/1/map/to', 'no fix', (g) =>
    g.edges.push(...plain('START>work')),
  ),
  row(
    'A map of a node with a router',
    'rich',
    'MAP_TARGET_INVALID /edges/1/map/to',
    'no fix',
    (g) => (g.edges[2] = { from: 'work', when: [{ if: 'true', to: 'gather' }], else: 'END' }),
  ),
  row('A node named as a channel', 'line', 'ID_COLLISION /nodes/three', 'fix', (g) => (g.state.three = {})),
  row('A node named as what every object has', 'line', 'ID_COLLISION /nodes/constructor', 'fix', (g) => {
    g.nodes.constructor = { type: 'step' };
    g.edges = plain('START>one', 'one>two', 'two>three', 'three>constructor', 'constructor>END');
  }),
  row(
    'A channel named as what every object has',
    'line',
    'ID_COLLISION /state/toString',
    'fix',
    (g) => (g.state.toString = { schema: {} }),
  ),
  row('An item named as a channel', 'rich', 'ID_COLLISION /edges/1/map/as', 'fix', (g) => {
    g.edges[1].map.as = 'note';
    g.nodes.work = { type: 'step' };
  }),
  row(
    'A condition that does not parse',
    'branches',
    'EXPRESSION_INVALID /edges/6/when/0/if',
    'no fix',
    (g) => (g.edges[6].when[0].if = 'total >'),
  ),
  row(
    'A condition in another language',
    'branches',
    'EXPRESSION_INVALID /edges/6/when/0/if',
    'fix',
    (g) => (g.edges[6].when[0].if = 'not (total = 0 or x === 3) AND size("a or b") > 0'),
  ),
  row(
    'An expression with an open bracket',
    'rich',
    'EXPRESSION_INVALID /nodes/sum_up/config/set/note',
    'fix',
    (g) => (g.nodes.sum_up.config.set.note = '"(" + string(size(items)'),
  ),
  row(
    'A condition on a channel that nobody declared',
    'branches',
    'EXPRESSION_INVALID /edges/6/when/0/if',
    'fix',
    (g) => (g.edges[6].when[0].if = 'threshold != null && total > threshold'),
  ),
  row(
    'A condition on a misspelt channel',
    'branches',
    'EXPRESSION_INVALID /edges/6/when/0/if',
    'fix',
    (g) => (g.edges[6].when[0].if = 'totl > 0'),
  ),
  row(
    'A map over a misspelt channel',
    'rich',
    'EXPRESSION_INVALID /edges/1/map/over',
    'fix',
    (g) => (g.edges[1].map.over = 'itemz'),
  ),
  row(
    'A reference to a misspelt channel',
    'rich',
    'EXPRESSION_INVALID /nodes/again/config/temperature/$expr',
    'fix',
    (g) => (g.nodes.again.config.temperature.$expr = 'totl * 1.5'),
  ),
  row(
    'An expression of a config that does not parse',
    'rich',
    'EXPRESSION_INVALID /nodes/sum_up/config/set/note',
    'no fix',
    (g) => (g.nodes.sum_up.config.set.note = '"open'),
  ),
  row(
    'A template with a misspelt channel',
    'rich',
    'EXPRESSION_INVALID /nodes/again/config/prompt',
    'fix',
    (g) => (g.nodes.again.config.prompt = 'Better than {{ anser }}'),
  ),
  row(
    'A template with a name of nothing',
    'rich',
    'TEMPLATE_LITERAL /nodes/again/config/prompt',
    'no fix',
    (g) => (g.nodes.again.config.prompt = 'By {{ wonderful }}'),
  ),
  row(
    'A template that reaches for a prototype',
    'rich',
    'TEMPLATE_LITERAL /nodes/again/config/prompt',
    'no fix',
    (g) => (g.nodes.again.config.prompt = "{{constructor.constructor('return 1')()}}"),
  ),
  row(
    'A secret for a host that it is not bound to',
    'rich',
    'SECRET_UNBOUND /nodes/prompt/config/key/$secret',
    'no fix',
    (g) => (g.nodes.prompt.config.at = 'https://a.b.evil.example/v1'),
  ),
  row(
    'A workflow that is not there',
    'rich',
    'SUBGRAPH_UNKNOWN /nodes/inner/config/workflowId',
    'no fix',
    (g) => (g.nodes.inner.config.workflowId = 'wf_none'),
  ),
  row(
    'A workflow inside itself',
    'rich',
    'SUBGRAPH_CYCLE /nodes/inner/config/workflowId',
    'no fix',
    (g) => (g.nodes.inner.config.workflowId = 'wf_self'),
  ),
  row(
    'A workflow that leads back',
    'rich',
    'SUBGRAPH_CYCLE /nodes/inner/config/workflowId',
    'no fix',
    (g) => (g.nodes.inner.config.workflowId = 'wf_back'),
  ),
];
