import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalog } from '#graphs/catalog.ts';
import { noFacts, type NodeDefinition, type OutputFacts } from '#graphs/define.ts';
import { agent } from '#graphs/nodes/agent.ts';
import { llm } from '#graphs/nodes/llm.ts';
import { exampleGraph } from '#scripts/gen/example-graph.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { expectDeclared } from '#test/graphs/support/declared.ts';
import { attempt, modelBench } from '#test/graphs/support/model-nodes.ts';
import { chatStream } from '#test/support/servers/openai-server.ts';
import { startOutside, type OutsideServer } from '#test/support/servers/outside-server.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let outside: OutsideServer;
let app: TestApp;
let documentId: string;
let inner: string;
beforeAll(async () => {
  outside = await startOutside((_request, response) => response.end('{"id":7}'));
  app = await startTestApp({ env: { OUTBOUND_ALLOW: outside.listed } });
  documentId = (await app.store(await fixture('receipt.jpg'), 'image/jpeg')).id;
  inner = await addWorkflow(app, exampleGraph(catalogued('extract'), catalog));
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

function catalogued(type: string): NodeDefinition {
  const found = catalog.find(type);
  if (found === undefined) throw new Error(`there is no type ${type}`);
  return found;
}

const ask = (method: string, path: string, body?: unknown) =>
  app.call(method, `/api/service/${path}`, { key: app.seed.serviceKey, ...(body === undefined ? {} : { body }) });

/** The graph of a type's example, at addresses that exist here. */
function runnable(definition: NodeDefinition): StoredGraph {
  const text = JSON.stringify(exampleGraph(definition, catalog))
    .replace('https://erp.example.com', outside.url)
    .replace('wf_of_the_project', inner);
  return StoredGraph.parse(JSON.parse(text));
}

async function run(graph: StoredGraph): Promise<any> {
  const begun = await ask('POST', 'workflow-executions', {
    workflowId: await addWorkflow(app, graph),
    documentIds: [documentId],
  });
  const path = `runs/${begun.body.runs[0].runId}`;
  await app.app.idle();
  const first = (await ask('GET', path)).body;
  if (first.status !== 'waiting') return first;
  await ask('POST', `${path}/resume`, { path: first.waitingFor[0].path, answer: 'yes' });
  await app.app.idle();
  return (await ask('GET', path)).body;
}

/** Types whose schemas need a model, which has a script of its own below. */
const withModel: ReadonlySet<string> = new Set(['llm', 'agent']);

/** Facts about the nested workflow: `fields` is what the example of `extract` writes. */
const facts: OutputFacts = { ...noFacts, workflow: () => ({ fields: { type: 'object' } }) };

verifies(
  'graph.outputs',
  async () => {
    const seen = new Map<string, readonly string[]>();
    for (const definition of catalog.definitions.filter(({ type }) => !withModel.has(type))) {
      const graph = runnable(definition);
      const done = await run(graph);
      expect(done, `${definition.type} ${JSON.stringify(done.error)}`).toMatchObject({ status: 'succeeded' });
      for (const node of Object.values(graph.nodes).filter(({ type }) => type === definition.type)) {
        const declared = expectDeclared(definition, node.config, done.outputs, facts);
        expect(Object.keys(done.outputs).toSorted()).toEqual(declared.toSorted());
        seen.set(definition.type, declared);
      }
    }
    const bench = await modelBench();
    await using ready = await bench.deps([chatStream('A receipt.')]);
    const state = await bench.ocr();
    for (const definition of [llm, agent] as NodeDefinition[]) {
      const { update } = await attempt(definition, { deps: ready.deps, config: definition.example, state });
      seen.set(definition.type, expectDeclared(definition, definition.example, update));
    }
    await bench.close();
    expect(new Set(seen.keys())).toEqual(new Set(catalog.definitions.map(({ type }) => type)));
    // Only a type that writes nothing declares nothing.
    expect([...seen].filter(([, channels]) => channels.length === 0).map(([type]) => type)).toEqual(['emit']);
  },
  { timeout: 240_000 },
);

test('a value of another shape is found', () => {
  const { example } = catalogued('classify');
  const wrong = { classification: { label: 'poem', confidence: 2, evidence: [], modelLabel: 'x' } };
  expect(() => expectDeclared(catalogued('classify'), example, wrong)).toThrow(/to deeply equal/);
});
