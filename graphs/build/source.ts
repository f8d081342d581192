import { MapSpec, StoredGraph, type GraphEdge, type GraphNode } from '#src/contracts/resources/graph.ts';
import { Code, literal, quote } from '#graphs/build/literal.ts';
import type { Catalog } from '#graphs/catalog.ts';

type Members = Record<string, unknown>;

/** Default of every part, used to omit members that have it. */
const standard = StoredGraph.parse({
  schemaVersion: 1,
  name: 'x',
  state: { a: {} },
  nodes: { a: { type: 'x', retry: {} } },
  edges: [],
});
const { retry: standardRetry, ...standardNode } = { ...standard.nodes['a'] };
const standardMap = MapSpec.pick({ concurrency: true, onItemError: true }).parse({});

/**
 * Source of a `.workflow.ts` file that builds exactly this graph. Nodes with a known type and a valid config get a typed config; other
 * nodes stay plain objects. Source: docs/decisions/0028.
 */
export function toSource(graph: StoredGraph, id: string, catalog: Catalog): string {
  const used = new Set(['defineWorkflow']);
  const types = new Set<string>();
  const nodes = Object.entries(graph.nodes).map(([nodeId, node]) => {
    const typed = isTyped(node, catalog);
    if (typed) types.add(node.type);
    return [nodeId, nodeCode(node, typed, used)] as const;
  });
  const { name, description, layout } = graph;
  const state = Object.entries(graph.state).map(([channel, part]) => [channel, without(part, standard.state['a'])]);
  const limits = without(graph.limits, standard.limits);
  const body: Members = {
    id,
    name,
    description,
    state: fromEntries(state as [string, unknown][]),
    nodes: fromEntries(nodes),
    edges: edgesCode(graph.edges, used),
    ...(Object.keys(limits).length > 0 && { limits }),
    outputs: graph.outputs,
    ...(layout && { layout }),
  };
  const nodeTypes = [...types].map(camel).toSorted();
  const imports = nodeTypes.length === 0 ? '' : `import { ${nodeTypes.join(', ')} } from 'inkgraph/nodes';\n`;
  return `import { ${[...used].toSorted().join(', ')} } from 'inkgraph';
${imports}
export const ${nameOf(id)} = defineWorkflow(${literal(body)});
`;
}

function camel(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '');
}

/** `wf_receipt_intake` becomes `receiptIntakeWorkflow`; the suffix avoids reserved words and names of node types. */
function nameOf(id: string): string {
  const name = camel(id.replace(/^wf_/, '').toLowerCase());
  return `${/^[a-z]/.test(name) ? name : 'stored'}Workflow`;
}

function isTyped(node: GraphNode, catalog: Catalog): boolean {
  const definition = catalog.find(node.type);
  if (definition?.version !== node.typeVersion) return false;
  const parsed = definition.params.safeParse(node.config);
  return parsed.success || parsed.error.issues.every((issue) => leadsToRef(node.config, issue.path));
}

/** True if the path ends at or inside a reference, whose value is unknown before the node runs. */
function leadsToRef(config: unknown, path: readonly PropertyKey[]): boolean {
  let at = config;
  for (const part of path) {
    if (typeof at !== 'object' || at === null) return false;
    at = (at as Record<PropertyKey, unknown>)[part];
    if (refOf(at)) return true;
  }
  return false;
}

function refOf(value: unknown): { helper: 'expr' | 'secret'; text: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [[name, text] = [], ...more] = Object.entries(value);
  if (more.length > 0 || typeof text !== 'string') return undefined;
  if (name === '$expr') return { helper: 'expr', text };
  return name === '$secret' ? { helper: 'secret', text } : undefined;
}

function nodeCode(node: GraphNode, typed: boolean, used: Set<string>): unknown {
  const { type, typeVersion, config, ...options } = node;
  const said = without({ ...options, ...(node.retry && { retry: without(node.retry, standardRetry) }) }, standardNode);
  const shown = withRefs(config, used);
  if (!typed) return { type, ...(typeVersion !== 1 && { typeVersion }), config: shown, ...said };
  used.add('node');
  return call('node', [new Code(camel(type)), shown, ...(Object.keys(said).length > 0 ? [said] : [])], 2);
}

/** Source of a call; long arguments go on lines of their own. */
function call(name: string, parts: readonly unknown[], depth: number): Code {
  return new Code(`${name}(${parts.map((part) => literal(part, depth)).join(', ')})`);
}

function withRefs(value: unknown, used: Set<string>): unknown {
  const ref = refOf(value);
  if (ref) {
    used.add(ref.helper);
    return new Code(`${ref.helper}(${quote(ref.text)})`);
  }
  if (Array.isArray(value)) return value.map((item) => withRefs(item, used));
  if (typeof value !== 'object' || value === null) return value;
  return fromEntries(Object.entries(value).map(([name, part]) => [name, withRefs(part, used)]));
}

/** Edges in order; adjacent edges from the same node share a row. */
function edgesCode(edges: readonly GraphEdge[], used: Set<string>): unknown[] {
  const rows: (Code | [string, string[]])[] = [];
  for (const edge of edges) {
    const last = rows.at(-1);
    if ('map' in edge) {
      used.add('map');
      const more = without(edge.map, standardMap);
      rows.push(call('map', [edge.from, more], 2));
    } else if ('when' in edge) {
      used.add('route');
      const ways = edge.when.map((way) => [way.if, way.to]);
      rows.push(call('route', [edge.from, ways, ...(edge.else === undefined ? [] : [edge.else])], 2));
    } else if (Array.isArray(last) && last[0] === edge.from) last[1].push(edge.to);
    else rows.push([edge.from, [edge.to]]);
  }
  return rows.map((row) => (row instanceof Code || row[1].length > 1 ? row : [row[0], row[1][0]]));
}

/** Members that differ from the defaults. */
function without(value: object, defaults: object = {}): Members {
  const known = new Map(Object.entries(defaults));
  return fromEntries(
    Object.entries(value).filter(
      ([name, part]) =>
        part !== undefined && !(known.has(name) && JSON.stringify(known.get(name)) === JSON.stringify(part)),
    ),
  );
}

/** Like `Object.fromEntries`, but safe for the name `__proto__`. */
function fromEntries(entries: Iterable<readonly [string, unknown]>): Members {
  return Object.fromEntries(entries);
}
