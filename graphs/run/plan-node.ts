import { AppError } from '#src/domain/app-error.ts';
import { configRefs } from '#graphs/expression/config.ts';
import { writtenIn, type NamesOf } from '#graphs/run/names-of.ts';
import { ioOf, takesReference, type NodeDefinition } from '#graphs/define.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { FlowPlan } from '#graphs/engine/flow-plan.ts';
import type { GraphNode, MapSpec, StoredGraph } from '#src/contracts/resources/graph.ts';

/** One node of a compiled graph: everything that can be computed before a run. */
export interface NodePlan {
  readonly nodeId: string;
  readonly node: GraphNode;
  readonly definition: NodeDefinition;
  /** The parsed config; null if it has references to resolve first. */
  readonly params: Record<string, unknown> | null;
  readonly secrets: readonly string[];
  /** Expressions in the config, without duplicates. */
  readonly sources: readonly string[];
  /** Channels that the node can read. */
  readonly shown: readonly string[];
  readonly writes: ReadonlySet<string>;
  /** Targets of unconditional edges. */
  readonly always: readonly string[];
  readonly routers: readonly RouterPlan[];
  readonly maps: readonly MapPlan[];
  /** Predecessors; null if all incoming edges are unconditional. */
  readonly parents: readonly string[] | null;
  /** True if the graph records the chosen routes. */
  readonly dynamic: boolean;
  readonly inLoop: boolean;
  /** Limit of supersteps of the run. */
  readonly maxSteps: number;
  readonly reducers: StoredGraph['state'];
}

interface RouterPlan {
  readonly routes: readonly { readonly condition: string; readonly to: string }[];
  readonly otherwise: string | undefined;
  /** Channels that the conditions read. */
  readonly names: readonly string[];
}

interface MapPlan {
  readonly spec: MapSpec;
  readonly over: string;
  /** Channels that `over` reads. */
  readonly names: readonly string[];
  /** Channels that the target can read. */
  readonly shown: readonly string[];
}

export interface PlanRequest {
  readonly nodeId: string;
  readonly graph: StoredGraph;
  readonly flow: FlowPlan;
  readonly catalog: Catalog;
  readonly namesOf: NamesOf;
}

/** Looks up a node's type, parses its config and its outgoing edges. Throws `workflow.invalid`. */
export function planNode(request: PlanRequest): NodePlan {
  const { nodeId, graph, flow } = request;
  const node = requireNode(graph, nodeId);
  const definition = requireDefinition(request, node, nodeId);
  const refs = configRefs(node.config);
  refuseMisplaced(definition, refs, nodeId);
  const dynamicConfig = refs.expressions.length + refs.secrets.length > 0;
  const incoming = (flow.incoming.get(nodeId) ?? []).filter(({ from }) => from !== 'START');
  const entered = (flow.incoming.get(nodeId) ?? []).some(({ from }) => from === 'START');
  return {
    nodeId,
    node,
    definition,
    params: dynamicConfig ? null : parseConfig(definition, node.config, nodeId),
    sources: [...new Set(refs.expressions.map(({ source }) => source))],
    secrets: [...new Set(refs.secrets.map(({ name }) => name))],
    shown: shownTo(request, nodeId),
    writes: new Set(ioOf(definition, node.config).writes),
    always: (flow.outgoing.get(nodeId) ?? []).filter(({ kind }) => kind === 'always').map(({ to }) => to),
    routers: graph.edges.flatMap((edge) => ('when' in edge && edge.from === nodeId ? [planRouter(request, edge)] : [])),
    maps: graph.edges.flatMap((edge) => ('map' in edge && edge.from === nodeId ? [planMap(request, edge.map)] : [])),
    parents: !flow.dynamic || entered ? null : [...new Set(incoming.map(({ from }) => from))],
    dynamic: flow.dynamic,
    inLoop: flow.loops.some(({ members }) => members.has(nodeId)),
    maxSteps: graph.limits.maxSteps,
    reducers: graph.state,
  };
}

/**
 * Rejects references in constant fields, such as system messages and templates, since the state can hold document text, and secrets in
 * fields that are stored.
 */
function refuseMisplaced(definition: NodeDefinition, refs: ReturnType<typeof configRefs>, nodeId: string): void {
  const misplaced = (kind: '$expr' | '$secret', found: readonly { readonly path: readonly PropertyKey[] }[]) =>
    found
      .map(({ path }) => String(path[0]))
      .filter((field) => !takesReference(definition, kind, field))
      .map((field) => `"${field}" of "${definition.type}" takes no ${kind}`);
  const [what] = [...misplaced('$expr', refs.expressions), ...misplaced('$secret', refs.secrets)];
  if (what !== undefined) throw new AppError('workflow.invalid', `Node "${nodeId}": ${what}.`);
}

/** Throws `workflow.invalid` with the first invalid field. */
export function parseConfig(definition: NodeDefinition, config: unknown, nodeId: string): Record<string, unknown> {
  const params = definition.params.safeParse(config);
  if (params.success) return params.data;
  const [issue] = params.error.issues;
  const where = issue?.path.join('.') ?? '';
  const what = `${where === '' ? '' : `${where}: `}${issue?.message ?? 'not as expected'}`;
  throw new AppError(
    'workflow.invalid',
    `The config of node "${nodeId}" is not valid for type "${definition.type}": ${what}.`,
  );
}

function planRouter(
  { namesOf }: PlanRequest,
  edge: Extract<StoredGraph['edges'][number], { when: unknown }>,
): RouterPlan {
  const routes = edge.when.map((route) => ({ condition: route.if, to: route.to }));
  return { routes, otherwise: edge.else, names: routes.flatMap(({ condition }) => namesOf.expression(condition)) };
}

function planMap(request: PlanRequest, spec: MapSpec): MapPlan {
  const into = request.flow.incoming.get(spec.to) ?? [];
  const on = request.flow.outgoing.get(spec.to) ?? [];
  if (into.length > 1 || on.some(({ kind }) => kind !== 'always')) {
    const rule = 'it is come to by its map only, and goes on by plain edges only';
    throw new AppError('workflow.invalid', `Node "${spec.to}" is the target of a map: ${rule}.`);
  }
  const names = request.namesOf.expression(spec.over);
  return { spec, over: spec.over, names, shown: shownTo(request, spec.to) };
}

/** Channels that the node's type, expressions and templates use. */
function shownTo(request: PlanRequest, nodeId: string): string[] {
  const node = requireNode(request.graph, nodeId);
  const definition = requireDefinition(request, node, nodeId);
  const { reads, readsIfPresent } = ioOf(definition, node.config);
  const names = [...reads, ...readsIfPresent, ...namesIn(request, definition, node.config)];
  return [...new Set(names)].filter((name) => Object.hasOwn(request.graph.state, name));
}

function namesIn(
  { namesOf }: PlanRequest,
  definition: NodeDefinition,
  config: Readonly<Record<string, unknown>>,
): string[] {
  const { expressions, templates } = writtenIn(definition, config);
  return [
    ...expressions.flatMap((source) => namesOf.expression(source)),
    ...templates.flatMap((text) => namesOf.template(text)),
  ];
}

function requireNode(graph: StoredGraph, nodeId: string): GraphNode {
  const node = graph.nodes[nodeId];
  if (node) return node;
  throw new AppError('workflow.invalid', `An edge leads to "${nodeId}", which does not exist.`);
}

function requireDefinition({ catalog }: PlanRequest, node: GraphNode, nodeId: string): NodeDefinition {
  const definition = catalog.find(node.type, node.typeVersion);
  if (definition) return definition;
  throw new AppError(
    'workflow.invalid',
    `Node "${nodeId}" has the unknown type "${node.type}" version ${node.typeVersion}.`,
  );
}
