import { Annotation, StateGraph } from '@langchain/langgraph';
import type { Loose } from '#test/graphs/check/defects.ts';

/** Codes of what a LangGraph graph has no notion of: node types, configs, expressions, references, channels by name. */
const unknownToLangGraph = [
  'SHAPE_INVALID',
  'LIMIT_EXCEEDED',
  'NODE_TYPE_UNKNOWN',
  'CONFIG_INVALID',
  'ERROR_ROUTE_INVALID',
  'EXPRESSION_INVALID',
  'TEMPLATE_LITERAL',
  'SECRET_UNKNOWN',
  'SUBGRAPH_UNKNOWN',
  'SUBGRAPH_CYCLE',
  'CHANNEL_UNKNOWN',
  'MAP_NOT_ARRAY',
];

interface Builder {
  addNode(name: string, run: () => object): void;
  addEdge(from: string, to: string): void;
  addConditionalEdges(from: string, choose: () => string, targets: string[]): void;
  compile(): unknown;
}

/** What LangGraph's own `compile()` says of a graph written for it by hand, edge for edge; null where it cannot be written for it. */
export function langGraphRefuses(graph: Loose, code: string): boolean | null {
  if (unknownToLangGraph.includes(code)) return null;
  const name = (id: string): string => (id === 'START' ? '__start__' : id === 'END' ? '__end__' : id);
  try {
    const channels = Object.entries<Loose>(graph.state).map(([key, { reducer = 'replace' }]) => [
      key,
      reducer === 'replace'
        ? Annotation()
        : Annotation({ reducer: (_: unknown, b: unknown) => b, default: () => null }),
    ]);
    const builder = new StateGraph(Annotation.Root(Object.fromEntries(channels) as Loose)) as unknown as Builder;
    for (const id of Object.keys(graph.nodes)) builder.addNode(id, () => ({}));
    for (const edge of graph.edges) {
      const targets: string[] = edge.when
        ? [...edge.when.map((route: Loose) => route.to), ...(edge.else === undefined ? [] : [edge.else])]
        : [edge.map?.to].filter((to) => to !== undefined);
      const [first = ''] = targets;
      if (targets.length === 0) builder.addEdge(name(edge.from), name(edge.to));
      else builder.addConditionalEdges(name(edge.from), () => name(first), [...new Set(targets.map(name))]);
    }
    builder.compile();
    return false;
  } catch {
    // Whatever it says: it does not take the graph.
    return true;
  }
}
