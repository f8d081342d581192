import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import { toSource } from '#graphs/build/source.ts';
import { catalog } from '#graphs/catalog.ts';
import * as exported from '#graphs/code/nodes.ts';
import { codeWorkflows } from '#graphs/workflows.ts';

// Inside the repository, where `inkgraph` means this project.
const parent = fileURLToPath(new URL('../../.tmp/', import.meta.url));
let folder: string;
let files = 0;
beforeAll(async () => {
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'source-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes the text of the graph, runs it, and answers what it defines. */
async function throughSource(graph: StoredGraph, id = 'wf_test'): Promise<CodeWorkflow> {
  const file = join(folder, `${(files += 1)}.workflow.ts`);
  await writeFile(file, toSource(graph, id, catalog));
  const module = (await import(file)) as Record<string, CodeWorkflow>;
  const [workflow, ...others] = Object.values(module);
  expect(others).toEqual([]);
  return workflow as CodeWorkflow;
}

const nodeId = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);
const channelName = fc.stringMatching(/^[a-z][A-Za-z0-9_]{0,6}$/);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.constantFrom("it's", '`${1}`', '"\\', '\u2028\n*/', '\ud800', '\'"', '\\"', '</script>', '{{ a }}'),
);
const memberName = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '$expr', '$secret', 'a-b', '1'));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue({ maxDepth: 1 }),
    text,
    text.map((source) => ({ $expr: source })),
    text.map((name) => ({ $secret: name })),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.tuple(memberName, tie('json')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
  ),
}));
const members = fc.array(fc.tuple(memberName, json), { maxLength: 3 }).map((rows) => Object.fromEntries(rows));
const milliseconds = fc.integer({ min: 1_000, max: 60_000 });
const types = fc.oneof(
  fc.constantFrom(
    ...catalog.definitions.map(({ type, version, example }) => ({ type, typeVersion: version, config: example })),
  ),
  fc.record({ type: text, typeVersion: fc.integer({ min: 1, max: 3 }), config: members }),
  members.map((config) => ({ type: 'ocr', config })),
  text.map((source) => ({ type: 'ocr', config: { language: { $expr: source }, timeoutMs: { $secret: source } } })),
);
const options = fc.record(
  {
    retry: fc.record(
      { maxAttempts: fc.integer({ min: 1, max: 10 }), backoff: fc.constant(2), maxIntervalMs: milliseconds },
      { requiredKeys: [] },
    ),
    timeoutMs: milliseconds,
    onError: fc.oneof(
      fc.constantFrom('fail', 'continue'),
      fc.record({ goto: nodeId, set: fc.dictionary(channelName, json, { maxKeys: 2 }) }),
    ),
    cache: fc.boolean(),
    defer: fc.boolean(),
    notes: text,
  },
  { requiredKeys: [] },
);
const node = fc.tuple(types, options).map(([type, more]) => ({ ...type, ...more }));
const edge = fc.oneof(
  fc.record({ from: fc.oneof(nodeId, fc.constant('START')), to: fc.oneof(nodeId, fc.constant('END')) }),
  fc.record(
    {
      from: nodeId,
      when: fc.array(fc.record({ if: text, to: nodeId }), { minLength: 1, maxLength: 3 }),
      else: fc.constantFrom('END', 'a'),
    },
    { requiredKeys: ['from', 'when'] },
  ),
  fc.record({
    from: nodeId,
    map: fc.record(
      {
        over: text,
        as: channelName,
        to: nodeId,
        concurrency: fc.integer({ min: 1, max: 64 }),
        onItemError: fc.constantFrom('fail', 'skip'),
      },
      { requiredKeys: ['over', 'as', 'to'] },
    ),
  }),
);
const channel = fc.record(
  { schema: members, reducer: fc.constantFrom('replace', 'append', 'sum'), default: json },
  { requiredKeys: [] },
);
const graphs = fc.record(
  {
    schemaVersion: fc.constant(1),
    name: text,
    description: text,
    state: fc.dictionary(channelName, channel, { maxKeys: 3 }),
    nodes: fc.dictionary(nodeId, node, { maxKeys: 4 }),
    edges: fc.array(edge, { maxLength: 6 }),
    limits: fc.record({ maxSteps: fc.integer({ min: 1, max: 200 }), timeoutMs: milliseconds }, { requiredKeys: [] }),
    outputs: fc.dictionary(channelName, channelName, { maxKeys: 3 }),
    layout: members,
  },
  { requiredKeys: ['schemaVersion', 'name', 'nodes', 'edges'] },
);

describe('The text of a workflow', () => {
  test.each(codeWorkflows.map((one) => [one.id, one] as const))('of %s gives the same graph', async (id, one) => {
    const again = await throughSource(one.graph, id);
    expect(canonicalJson(again.graph)).toBe(canonicalJson(one.graph));
    expect(again).toMatchObject({ id, graphHash: one.graphHash });
  });

  test('of any stored graph gives the same graph, valid or not', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (raw) => {
        const graph = StoredGraph.parse(raw);
        expect(canonicalJson((await throughSource(graph)).graph)).toBe(canonicalJson(graph));
      }),
      { numRuns: 80 },
    );
  });

  test('types the config of known node types, says only what is not standard, and puts references in words', () => {
    const graph = StoredGraph.parse({
      schemaVersion: 1,
      name: 'T',
      nodes: {
        a: { type: 'ocr', config: { language: { $expr: 'x' } }, cache: false },
        b: { type: 'ocr', config: { langauge: 'eng' } },
        c: { type: 'ocr', typeVersion: 99 },
      },
      edges: [
        { from: 'START', to: 'a' },
        { from: 'a', when: [{ if: 'x == "y"', to: 'b' }], else: 'c' },
        { from: 'b', map: { over: 'x', as: 'i', to: 'c' } },
        { from: 'c', to: 'END' },
      ],
      limits: { maxSteps: 5 },
    });
    expect(toSource(graph, 'wf_class', catalog))
      .toBe(`import { defineWorkflow, expr, map, node, route } from 'inkgraph';
import { ocr } from 'inkgraph/nodes';

export const classWorkflow = defineWorkflow({
  id: 'wf_class',
  name: 'T',
  description: '',
  state: {},
  nodes: {
    a: node(ocr, { language: expr('x') }, { cache: false }),
    b: { type: 'ocr', config: { langauge: 'eng' } },
    c: { type: 'ocr', typeVersion: 99, config: {} },
  },
  edges: [
    ['START', 'a'],
    route('a', [['x == "y"', 'b']], 'c'),
    map('b', { over: 'x', as: 'i', to: 'c' }),
    ['c', 'END'],
  ],
  limits: { maxSteps: 5 },
  outputs: {},
});
`);
  });

  test('is not asked to guess: every node type is where its name says, and exported by inkgraph/nodes', async () => {
    for (const definition of catalog.definitions) {
      const file = new URL(`../../graphs/nodes/${definition.type.replaceAll('_', '-')}.ts`, import.meta.url);
      expect(existsSync(file), definition.type).toBe(true);
      const module = (await import(fileURLToPath(file))) as Record<string, unknown>;
      const name = definition.type.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      expect(module[name], definition.type).toBe(catalog.find(definition.type));
      const said = `graphs/code/nodes.ts exports ${name}`;
      expect({ [said]: Object.hasOwn(exported, name) }).toEqual({ [said]: true });
    }
  });
});
