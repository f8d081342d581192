/** The largest graph that may be stored: checked, compiled and edited. */
import { MemorySaver } from '@langchain/langgraph';
import { graphLimits, StoredGraph } from '#src/contracts/resources/graph.ts';
import { Operations } from '#src/contracts/resources/operation.ts';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { serve } from '#scripts/bench/processes/serve.ts';

export type Editing = 'check' | 'compile' | 'apply';

/** Nodes in layers of ten, each layer joined with the next as densely as the limits allow. */
function largest(): StoredGraph {
  const width = 10;
  const ids = Array.from({ length: graphLimits.nodes }, (_, at) => `n${at}`);
  const edges: { from: string; to: string }[] = [{ from: 'START', to: 'n0' }];
  // First what makes every node reachable and lead on, then as many more as there may be.
  for (let at = 1; at < ids.length; at += 1) edges.push({ from: `n${Math.max(0, at - width)}`, to: `n${at}` });
  for (let at = ids.length - width; at < ids.length; at += 1) edges.push({ from: `n${at}`, to: 'END' });
  const known = new Set(edges.map(({ from, to }) => `${from}>${to}`));
  for (let step = 1; edges.length < graphLimits.edges; step += 1) {
    for (let at = width; at < ids.length && edges.length < graphLimits.edges; at += 1) {
      const from = Math.floor(at / width) * width - width + ((at + step) % width);
      const name = `n${from}>n${at}`;
      if (from === 0 || known.has(name)) continue;
      known.add(name);
      edges.push({ from: `n${from}`, to: `n${at}` });
    }
  }
  return StoredGraph.parse({
    schemaVersion: 1,
    name: 'As large as may be',
    state: Object.fromEntries(ids.slice(0, graphLimits.channels).map((id) => [`c_${id}`, { reducer: 'sum' }])),
    nodes: Object.fromEntries(
      ids.map((id, at) => [id, { type: 'transform', config: { set: { [`c_n${at % graphLimits.channels}`]: '1' } } }]),
    ),
    edges,
    limits: { maxSteps: 1_000 },
    outputs: { total: 'c_n0' },
  });
}

const graph = largest();
const checked = checkGraph(graph, catalog);
if (!checked.valid) throw new Error(`the largest graph is not valid: ${JSON.stringify(checked.issues.slice(0, 3))}`);
const operations = Operations.parse(
  Array.from({ length: 100 }, (_, at) => {
    const nodeId = `n${at + 200}`;
    if (at % 4 === 0) return { op: 'set_config', nodeId, config: { set: { c_n1: '2' } } };
    if (at % 4 === 1) return { op: 'rename_node', nodeId, to: `renamed${at}` };
    if (at % 4 === 2) return { op: 'set_field', path: `/nodes/${nodeId}/timeoutMs`, value: 1_000 };
    return { op: 'remove_edge', from: `n${at}`, to: `n${at + 10}` };
  }),
);

const work: Record<Editing, () => unknown> = {
  check: () => checkGraph(graph, catalog),
  compile: () => compileGraph(graph, { catalog, checkpointer: new MemorySaver() }),
  apply: () => applyOperations(graph, operations),
};

serve({
  /** Milliseconds of each time. */
  async times({ what, count }: { readonly what: Editing; readonly count: number }): Promise<number[]> {
    const times: number[] = [];
    for (let time = 0; time < count; time += 1) {
      const started = performance.now();
      await work[what]();
      times.push(performance.now() - started);
    }
    return times;
  },
  size: () => ({
    nodes: Object.keys(graph.nodes).length,
    edges: graph.edges.length,
    operations: operations.length,
    bytes: Buffer.byteLength(JSON.stringify(graph)),
  }),
});
// Nothing else keeps this process there for the next question.
process.channel?.ref();
