import { MapSpec, StoredGraph, type GraphEdge, type GraphNode } from '#src/contracts/resources/graph.ts';
import { Code, literal, quote } from '#graphs/build/literal.ts';
import type { Catalog } from '#graphs/catalog.ts';

type Members = Record<string, unknown>;

/** What every part is when it says nothing. */
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
 * Text of a `.workflow.ts` that builds the graph again, member for member. Nodes of a type that the catalogue has, with a config that
 * it takes, get a typed config; others stay plain objects. Source: graphs.md "Workflows in code".
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
  const imports = [...types].map((type) => `import { ${camel(type)} } from ${quote(fileOfType(type))};`).toSorted();
  return `import { ${[...used].toSorted().join(', ')} } from '#graphs/build.ts';
${imports.map((line) => `${line}\n`).join('')}
export const ${nameOf(id)} = defineWorkflow(${literal(body)});
`;
}

/** Where a node type is defined, by the rule that graphs/nodes keeps: `load_image` is `loadImage` of `load-image.ts`. */
function fileOfType(type: string): string {
  return `#graphs/nodes/${type.replaceAll('_', '-')}.ts`;
}

function camel(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '');
}

/** `wf_receipt_intake` becomes `receiptIntakeWorkflow`, which is no word of the language and no node type. */
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

/** A reference stands for a value that is known when the node runs. */
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

/** A call, its last arguments broken into lines where they are long. */
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

/** Edges in their order; neighbours that leave one node share a row. */
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

/** The members that are not as the standard has them. */
function without(value: object, defaults: object = {}): Members {
  const known = new Map(Object.entries(defaults));
  return fromEntries(
    Object.entries(value).filter(
      ([name, part]) =>
        part !== undefined && !(known.has(name) && JSON.stringify(known.get(name)) === JSON.stringify(part)),
    ),
  );
}

/** Own members, whatever their names. */
function fromEntries(entries: Iterable<readonly [string, unknown]>): Members {
  return Object.fromEntries(entries);
}
