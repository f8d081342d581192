import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { channel, defineWorkflow, expr, map, node, route, secret } from '#graphs/build.ts';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { classify } from '#graphs/nodes/classify.ts';
import { emit } from '#graphs/nodes/emit.ts';
import { extract } from '#graphs/nodes/extract.ts';
import { llm } from '#graphs/nodes/llm.ts';
import { review } from '#graphs/nodes/review.ts';
import { transform } from '#graphs/nodes/transform.ts';
import { embedText } from '#graphs/nodes/embed-text.ts';
import { loadImage } from '#graphs/nodes/load-image.ts';
import { ocr } from '#graphs/nodes/ocr.ts';

const base = { id: 'wf_x', name: 'x', description: '', outputs: {} } as const;
const state = { document: channel(z.unknown()), ocr: channel(z.unknown()) };
const nodes = { load: node(loadImage, {}), read: node(ocr, {}), last: node(embedText, {}) };

describe('Types of workflows in code', () => {
  test('routers, maps, error routes, limits, layout and references become what is stored', () => {
    const { graph } = defineWorkflow({
      ...base,
      state: { ...state, pages: channel(z.array(z.unknown())) },
      nodes: {
        load: node(loadImage, {}, { onError: { goto: 'last', set: { ocr: null } } }),
        read: node(ocr, { language: expr('document.language'), timeoutMs: expr('1000 * 2') }, { onError: 'continue' }),
        last: node(embedText, { maxTextCharacters: 5 }, { defer: true, cache: false, notes: 'n' }),
        raw: { type: 'elsewhere', typeVersion: 7, config: { token: secret('TOKEN') }, onError: { goto: 'last' } },
      },
      edges: [
        ['START', 'load'],
        route('load', [['document.pages > 1', 'read']], 'last'),
        map('read', { over: 'pages', as: 'page', to: 'raw', concurrency: 2 }),
        route('last', [['true', 'END']]),
      ],
      limits: { maxSteps: 9 },
      layout: { load: [1, 2] },
    });
    expect(graph.edges).toEqual([
      { from: 'START', to: 'load' },
      { from: 'load', when: [{ if: 'document.pages > 1', to: 'read' }], else: 'last' },
      { from: 'read', map: { over: 'pages', as: 'page', to: 'raw', concurrency: 2, onItemError: 'fail' } },
      { from: 'last', when: [{ if: 'true', to: 'END' }] },
    ]);
    expect(graph.nodes['load']?.onError).toEqual({ goto: 'last', set: { ocr: null } });
    expect(graph.nodes['read']).toMatchObject({
      config: { language: { $expr: 'document.language' }, timeoutMs: { $expr: '1000 * 2' } },
      onError: 'continue',
    });
    expect(graph.nodes['last']).toMatchObject({ defer: true, cache: false, notes: 'n' });
    expect(graph.nodes['raw']).toMatchObject({ typeVersion: 7, config: { token: { $secret: 'TOKEN' } } });
    expect(graph).toMatchObject({ limits: { maxSteps: 9, maxConcurrency: 4 }, layout: { load: [1, 2] } });
  });

  test('names of nodes that are not there do not compile', () => {
    const define = { ...base, state, nodes };
    // @ts-expect-error -- a route from no node
    defineWorkflow({ ...define, edges: [route('lod', [['true', 'read']])] });
    // @ts-expect-error -- a route to no node
    defineWorkflow({ ...define, edges: [route('load', [['true', 'raed']])] });
    // @ts-expect-error -- nowhere else
    defineWorkflow({ ...define, edges: [route('load', [['true', 'read']], 'lats')] });
    // @ts-expect-error -- START decides nothing
    expect(() => defineWorkflow({ ...define, edges: [route('START', [['true', 'read']])] })).not.toThrow(TypeError);
    // @ts-expect-error -- a map from no node
    defineWorkflow({ ...define, edges: [map('lod', { over: 'x', as: 'x', to: 'read' })] });
    // @ts-expect-error -- a map to no node
    defineWorkflow({ ...define, edges: [map('load', { over: 'x', as: 'x', to: 'raed' })] });
    // @ts-expect-error -- a map over nothing
    expect(() => defineWorkflow({ ...define, edges: [map('load', { as: 'x', to: 'read' })] })).toThrow();
    // @ts-expect-error -- an edge to no node
    defineWorkflow({ ...define, edges: [['load', ['read', 'raed']]] });
    // @ts-expect-error -- an error route to no node
    defineWorkflow({ ...base, state, edges: [], nodes: { load: node(loadImage, {}, { onError: { goto: 'lod' } }) } });
    // @ts-expect-error -- an error route to no node
    defineWorkflow({ ...base, state, edges: [], nodes: { load: { type: 'x', onError: { goto: 'lod' } } } });
  });

  test('names of channels that are not there do not compile', () => {
    const set = { ocr: 1, orc: 2 };
    // @ts-expect-error -- "orc" is no channel
    defineWorkflow({ ...base, state, edges: [], nodes: { a: node(ocr, {}, { onError: { goto: 'a', set } }) } });
    // @ts-expect-error -- "orc" is no channel
    defineWorkflow({ ...base, state, edges: [], nodes: { a: { type: 'x', onError: { goto: 'a', set } } } });
    // @ts-expect-error -- "orc" is no channel
    defineWorkflow({ ...base, state, nodes, edges: [], outputs: { text: 'orc' } });
  });

  test('expressions that read channels and fields that are not there do not compile', () => {
    const typed = {
      load: node(loadImage, {}),
      read: node(ocr, {}),
      sort: node(classify, { labels: [{ label: 'a' }, { label: 'b' }], output: 'kind' }),
      take: node(extract, {
        fields: {
          total: { type: 'money' },
          rows: { type: 'array', items: { type: 'object', fields: { price: { type: 'number' } } } },
        },
      }),
      judge: node(llm, {
        prompt: 'Of {{ fields.total.value.amount }}',
        schema: { type: 'object', properties: { verdict: { type: 'string' } } },
      }),
    } as const;
    const { graph } = defineWorkflow({
      ...base,
      nodes: {
        ...typed,
        last: node(transform, {
          set: { out: 'kind.confidence > 0.5 && fields.rows.value.size() > 1 ? answer.verdict : "none.such"' },
        }),
        each: node(emit, {
          data: { price: expr('row.price.value'), words: expr('ocr.characters + size(kind.evidence)') },
        }),
      },
      edges: [
        ['START', 'load'],
        ['load', 'read'],
        ['read', 'sort'],
        ['sort', 'take'],
        ['take', 'judge'],
        route('judge', [['kind.label == "a" || default(fields.total.value.currency, "EUR") != "EUR"', 'last']], 'last'),
        map('last', { over: 'fields.rows.value', as: 'row', to: 'each' }),
        ['each', 'END'],
      ],
      outputs: { kind: 'kind', out: 'out' },
    });
    expect(Object.keys(graph.state).toSorted()).toEqual(['answer', 'document', 'fields', 'kind', 'ocr', 'out']);
    expect(graph.state['kind']?.schema).toMatchObject({ properties: { label: { enum: ['a', 'b', 'unknown'] } } });
    expect(checkGraph(graph, catalog).issues).toEqual([]);
    const define = { ...base, nodes: typed };
    // @ts-expect-error -- kind has no field "confidense"
    defineWorkflow({ ...define, edges: [route('sort', [['kind.confidense < 0.5', 'take']])] });
    // @ts-expect-error -- there is no channel "knd"
    defineWorkflow({ ...define, edges: [route('sort', [['knd.confidence < 0.5', 'take']])] });
    // @ts-expect-error -- fields.total.value has no field "amout"
    defineWorkflow({ ...define, edges: [route('take', [['fields.total.value.amout > 5.0', 'judge']])] });
    // @ts-expect-error -- fields has no field "totl"
    defineWorkflow({ ...define, edges: [map('take', { over: 'fields.totl.value', as: 'x', to: 'judge' })] });
    // @ts-expect-error -- "knd" is no channel
    defineWorkflow({ ...define, edges: [], outputs: { kind: 'knd' } });
    const edges = { ...base, edges: [] } as const;
    const out = node(transform, { set: { out: 'answer.verdikt + "x"' } });
    // @ts-expect-error -- answer has no field "verdikt"
    defineWorkflow({ ...edges, nodes: { ...typed, out } });
    const tell = node(emit, { data: { a: [expr('ocr.charakters')] } });
    // @ts-expect-error -- ocr has no field "charakters"
    defineWorkflow({ ...edges, nodes: { ...typed, tell } });
    const asks = node(review, { prompt: 'Is {{ document.page }} right?' });
    // @ts-expect-error -- document has no field "page"
    defineWorkflow({ ...edges, nodes: { ...typed, asks } });
    const shows = node(review, { prompt: 'x', data: { a: 'kind.lable' } });
    // @ts-expect-error -- kind has no field "lable"
    defineWorkflow({ ...edges, nodes: { ...typed, shows } });
    // @ts-expect-error -- a nested field of a config that its schema does not have
    node(extract, { fields: { total: { type: 'money', alias: ['Sum'] } } });
    // The checker finds the parts that types cannot follow.
    const set = { a: 'fields.rows.value.map(r, r.prise)', b: "kind['lable']", c: 'kind . lable' } as const;
    const left = defineWorkflow({ ...base, edges: [], nodes: { ...typed, last: node(transform, { set }) } });
    expect(checkGraph(left.graph, catalog).issues.filter(({ code }) => code === 'FIELD_UNKNOWN')).toHaveLength(3);
  });

  test('options, references, limits and ids of another kind do not compile', () => {
    // @ts-expect-error -- timeoutMs is meant
    node(ocr, {}, { timeoutMS: 5 });
    // @ts-expect-error -- maxAttempts is meant
    node(ocr, {}, { retry: { attempts: 5 } });
    // @ts-expect-error -- not a reference
    node(ocr, { language: { $exp: 'x' } });
    // @ts-expect-error -- takes no config
    node(loadImage, { page: expr('1') });
    // @ts-expect-error -- an expression is text
    node(ocr, { language: expr(5) });
    // @ts-expect-error -- maxSteps is meant
    expect(() => defineWorkflow({ ...base, state, nodes, edges: [], limits: { steps: 5 } })).toThrow();
    // @ts-expect-error -- ids of workflows begin with wf_
    defineWorkflow({ ...base, id: 'x', state, nodes, edges: [] });
  });
});
