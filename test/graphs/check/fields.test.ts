import { describe, expect, test } from 'vitest';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { Operation } from '#src/contracts/resources/operation.ts';
import type { CheckContext } from '#graphs/check/outline.ts';
import type { Loose } from '#test/graphs/check/defects.ts';
import { verifies } from '#test/support/verifies.ts';

const line = (...names: string[]): Loose[] => names.slice(1).map((to, at) => ({ from: names[at], to }));

const labels = [{ label: 'invoice' }, { label: 'letter' }];
const fieldRules = {
  total: { type: 'money' },
  issuer: { type: 'object', fields: { city: { type: 'string' } } },
  rows: { type: 'array', items: { type: 'object', fields: { price: { type: 'number' } } } },
};
const answer = {
  type: 'object',
  properties: { verdict: { enum: ['pay', 'wait'] }, reasons: { type: 'array', items: { $ref: '#/$defs/reason' } } },
  $defs: { reason: { type: 'object', properties: { weight: { type: 'number' } }, additionalProperties: false } },
  required: ['verdict'],
  additionalProperties: false,
};
/** Nodes whose values are known, one after the other; every test adds what reads them. */
function base(): Loose {
  return {
    schemaVersion: 1,
    name: 'Typed',
    state: {
      ...Object.fromEntries(
        [
          'document',
          'ocr',
          'classification',
          'fields',
          'judged',
          'said',
          'got',
          'derived',
          'late',
          'out',
          'picked',
        ].map((name) => [name, {}]),
      ),
      open: { schema: { type: 'object', properties: { size: { type: 'number' } } } },
      free: {},
      maybe: { default: null },
      option: { default: { mode: 'fast' } },
      all: { reducer: 'append' },
    },
    nodes: {
      load_image: { type: 'load_image' },
      read: { type: 'ocr' },
      sort: { type: 'classify', config: { labels } },
      take: { type: 'extract', config: { fields: fieldRules } },
      judge: { type: 'llm', config: { prompt: 'Pay?', schema: answer, output: 'judged' } },
      person: { type: 'review', config: { prompt: 'Right?', answer: ['yes', 'no'], output: 'said' } },
      fetch: { type: 'http', config: { url: 'https://a.b/', output: 'got' } },
      derive: {
        type: 'transform',
        config: { set: { derived: '{"label": classification.label, "rows": fields.rows.value}' } },
      },
      last: { type: 'transform', config: { set: { out: '1' } } },
    },
    edges: line('START', 'load_image', 'read', 'sort', 'take', 'judge', 'person', 'fetch', 'derive', 'last', 'END'),
    outputs: { out: 'out', judged: 'judged', said: 'said', got: 'got', derived: 'derived', all: 'all' },
  };
}

const inner = StoredGraph.parse({ ...base(), outputs: { kind: 'classification' } });
const context: CheckContext = {
  subgraphs: () => inner,
  recordTypes: (name) => (name === 'invoice' ? { number: { type: 'string' }, due: { type: 'date' } } : null),
};
const check = (graph: Loose, facts = context) => checkGraph(graph, catalog, facts);
const findings = (graph: Loose) =>
  check(graph).issues.map(
    ({ code, severity, path, message, hint }) => `${severity} ${code} ${path}: ${message} ${hint}`,
  );

/** The graph with `source` as what the last node computes. */
function computing(source: string): Loose {
  const graph = base();
  graph.nodes.last.config.set.out = source;
  return graph;
}

const at = '/nodes/last/config/set/out';

describe('Fields of values', () => {
  test.each([
    ['classification.confidense < 0.6', 'confidense', 'confidence'],
    ['fields.totl.value', 'totl', 'total'],
    ['fields.total.value.amout', 'amout', 'amount'],
    ['fields.issuer.value.citi.value', 'citi', 'city'],
    ['fields.rows.value[0].prise.value', 'prise', 'price'],
    ['judged.verdikt == "pay"', 'verdikt', 'verdict'],
    ['judged.reasons[0].wieght', 'wieght', 'weight'],
    ['ocr.charakters', 'charakters', 'characters'],
    ['got.statsu', 'statsu', 'status'],
    ['derived.lable', 'lable', 'label'],
    ['derived.rows[0].prise', 'prise', 'price'],
    ['classification["lable"]', 'lable', 'label'],
  ])('%s always fails: an error, with the name that was meant', (source, wrong, right) => {
    const { valid, issues } = check(computing(source));
    const [issue, ...others] = issues;
    expect(others).toEqual([]);
    expect(valid).toBe(false);
    expect(issue).toMatchObject({ severity: 'error', code: 'FIELD_UNKNOWN', path: at, nodeId: 'last' });
    expect(issue?.message).toContain(`has no field "${wrong}".`);
    expect(issue?.hint).toContain(`"${right}"`);
    const fixed = issue?.fix?.map((one) => Operation.parse(one)) ?? [];
    expect(fixed).toEqual([{ op: 'set_field', path: at, value: source.replace(wrong, right) }]);
    const mended = applyOperations(StoredGraph.parse(computing(source)), fixed).graph;
    expect(check(mended).issues).toEqual([]);
  });

  test.each([
    ['maybe == null ? 0 : classification.confidense', 'confidense'],
    ['default(classification.confidense, 1)', 'confidense'],
    ['has(fields.totl)', 'totl'],
    ['true || fields.totl.value != null', 'totl'],
    ['fields.rows.value.map(row, row.prise.value)', 'prise'],
    ['fields.rows.value.filter(row, row.price.valeu > 1)', 'valeu'],
    ['open.sise', 'sise'],
    ['classification.label.length', 'length'],
    ['judged.verdict == "play"', 'play'],
    ['classification.label in ["invioce", "letter"]', 'invioce'],
    ['said == "yeah"', 'yeah'],
  ])('%s may fail: at least a warning, and the graph can be published unless it must', (source, wrong) => {
    const { issues } = check(computing(source));
    expect(issues).toHaveLength(1);
    expect(issues[0]?.message).toContain(`"${wrong}"`);
    expect(issues[0]?.severity).toBe(source.startsWith('classification.label.length') ? 'error' : 'warning');
  });

  test.each([
    'free.anything.at.all',
    'got.body.items[0].price',
    'open.another',
    'option.level',
    'option.mode == "slow"',
    'maybe.x',
    'all.map(one, one.x)',
    'fields.missing.size() + fields.rows.value.size()',
    'fields.total.evidence.box[0]',
    'classification.label == "unknown"',
    'judged.reasons.map(r, r.weight).filter(w, w > 1.0)',
    '{"a": {"b": classification}}.a.b.label',
    'cel.bind(c, classification, c.label)',
    'default(maybe.x.y, fields.total.value.currency)',
    '(maybe == null ? classification : maybe).label',
    'got.contentType.startsWith("text")',
    'ocr["characters"] > 0 ? json(ocr) : string(ocr.avgConfidence)',
    'said == "yes" && judged.verdict != "wait"',
  ])('%s is right, or not known: nothing is reported', (source) => {
    expect(findings(computing(source))).toEqual([]);
  });
});

verifies('graph.fields', () => {
  const graph = base();
  const { nodes, edges } = graph;
  nodes.judge.config.prompt = 'It says {{ fields.totl.value }} {{ free.x }}';
  nodes.person.config.data = { label: 'classification.lable' };
  nodes.fetch.config.url = 'https://a.b/{{ ocr.charakters }}';
  nodes.fetch.config.body = { deep: [{ $expr: 'judged.verdikt' }] };
  nodes.tell = { type: 'emit', config: { data: { total: { $expr: 'fields.total.valeu' } } } };
  nodes.each = { type: 'transform', config: { set: { all: 'row.prise.value' } } };
  nodes.nested = { type: 'workflow', config: { workflowId: 'wf_x', version: 1, outputs: { late: 'knd' } } };
  nodes.record = { type: 'extract', config: { recordType: 'invoice', output: 'picked' } };
  nodes.after = { type: 'transform', config: { set: { out: 'late.labl', free: 'picked.duw.value' } } };
  edges.splice(-2, 2);
  edges.push(
    { from: 'derive', when: [{ if: 'classification.confidense < 0.5', to: 'tell' }], else: 'tell' },
    { from: 'tell', map: { over: 'fields.rows', as: 'row', to: 'each' } },
    ...line('each', 'nested', 'record', 'after', 'last', 'END'),
  );
  nodes.nested.config.outputs.late = 'kind';
  const found = new Map(check(graph).issues.map(({ path, ...issue }) => [path, issue]));
  const told = [...found].map(([path, { severity, code, fix }]) => [path, severity, code, (fix?.[0] as Loose)?.value]);
  expect(new Set(told)).toEqual(
    new Set([
      ['/nodes/judge/config/prompt', 'error', 'FIELD_UNKNOWN', 'It says {{ fields.total.value }} {{ free.x }}'],
      ['/nodes/person/config/data/label', 'error', 'FIELD_UNKNOWN', 'classification.label'],
      ['/nodes/fetch/config/url', 'error', 'FIELD_UNKNOWN', 'https://a.b/{{ ocr.characters }}'],
      ['/nodes/fetch/config/body/deep/0/$expr', 'error', 'FIELD_UNKNOWN', 'judged.verdict'],
      ['/nodes/tell/config/data/total/$expr', 'error', 'FIELD_UNKNOWN', 'fields.total.value'],
      ['/nodes/after/config/set/out', 'error', 'FIELD_UNKNOWN', 'late.label'],
      ['/nodes/after/config/set/free', 'error', 'FIELD_UNKNOWN', 'picked.due.value'],
      ['/edges/8/when/0/if', 'error', 'FIELD_UNKNOWN', 'classification.confidence < 0.5'],
      ['/edges/9/map/over', 'warning', 'MAP_NOT_ARRAY', 'fields.rows.value'],
    ]),
  );
  graph.edges[9].map.over = 'fields.rows.value';
  nodes.nested.config.outputs.late = 'knd';
  const again = new Map(
    check(graph).issues.map(({ path, severity, fix }) => [path, [severity, (fix?.[0] as Loose)?.value]]),
  );
  expect(again.get('/nodes/each/config/set/all')).toEqual(['warning', 'row.price.value']);
  expect(again.get('/nodes/nested/config/outputs/late')).toEqual(['warning', 'kind']);
  // Without facts about workflows and record types, what they give is not known.
  const blind = checkGraph(graph, catalog, {}).issues.map(({ path }) => path);
  expect(blind).not.toContain('/nodes/after/config/set/free');
  expect(blind).not.toContain('/nodes/after/config/set/out');
});

describe('An error is certain', () => {
  const severityOf = (change: (graph: Loose) => void): string | undefined => {
    const graph = computing('classification.confidense');
    change(graph);
    return check(graph).issues.find(({ code }) => code === 'FIELD_UNKNOWN')?.severity;
  };

  test.each<[string, (graph: Loose) => void, string]>([
    ['every visit fails', () => undefined, 'error'],
    ['the node may fail', (g) => (g.nodes.last.onError = 'continue'), 'warning'],
    ['the writer may fail', (g) => (g.nodes.sort.onError = 'continue'), 'warning'],
    ['the failure has a route', (g) => (g.nodes.last.onError = { goto: 'person' }), 'warning'],
    ['a path leads around the writer', (g) => g.edges.push({ from: 'load_image', to: 'take' }), 'error'],
    [
      'a router leads around the writer',
      (g) => (g.edges[2] = { from: 'read', when: [{ if: 'ocr.characters > 5', to: 'sort' }], else: 'take' }),
      'warning',
    ],
    ['parallel writers are collected', (g) => (g.state.classification = { reducer: 'merge' }), 'warning'],
  ])('%s', (_, change, severity) => {
    expect(severityOf(change)).toBe(severity);
  });

  test('another writer that may write the field keeps it quiet', () => {
    expect(
      severityOf((graph) => {
        graph.nodes.derive.config.set.classification = 'got.body';
      }),
    ).toBeUndefined();
  });

  test('the second condition of a router may never be evaluated', () => {
    const graph = base();
    graph.edges[8] = {
      from: 'derive',
      when: ['true', 'fields.totl.value'].map((one) => ({ if: one, to: 'last' })),
      else: 'END',
    };
    expect(check(graph).issues).toMatchObject([{ severity: 'warning', path: '/edges/8/when/1/if' }]);
  });
});
