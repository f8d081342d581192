import { Annotation, StateGraph } from '@langchain/langgraph';
import type { Loose } from '#test/graphs/check/defects.ts';

/** Codes of what a LangGraph graph has no notion of: node types, configs, expressions, references, channels by name. */
const unknownToLangGraph = new Set([
  'SHAPE_INVALID',
  'LIMIT_EXCEEDED',
  'TOOL_INVALID',
  'NODE_TYPE_UNKNOWN',
  'CONFIG_INVALID',
  'ERROR_ROUTE_INVALID',
  'EXPRESSION_INVALID',
  'TEMPLATE_LITERAL',
  'SECRET_UNKNOWN',
  'SECRET_UNBOUND',
  'SECRET_MISSING',
  'MODEL_UNAVAILABLE',
  'HOST_NOT_LISTED',
  'LANGUAGE_MISSING',
  'OUTPUT_UNUSED',
  'SUBGRAPH_UNKNOWN',
  'SUBGRAPH_CYCLE',
  'CHANNEL_UNKNOWN',
  'MAP_NOT_ARRAY',
  'FIELD_UNKNOWN',
  'VALUE_UNKNOWN',
]);

interface Builder {
  addNode(name: string, run: () => object): void;
  addEdge(from: string, to: string): void;
  addConditionalEdges(from: string, choose: () => string, targets: string[]): void;
  compile(): unknown;
}

/** Error of LangGraph's own `compile()` for a graph written for it by hand, edge for edge; null where it cannot be written for it. */
export function langGraphRefuses(graph: Loose, code: string): boolean | null {
  if (unknownToLangGraph.has(code)) return null;
  const name = (id: string): string => (id === 'START' ? '__start__' : id === 'END' ? '__end__' : id);
  try {
    const channels = Object.entries<Loose>(graph.state).map(([key, { reducer = 'replace' }]) => [
      key,
      reducer === 'replace'
        ? Annotation()
        : Annotation({ reducer: (_: unknown, b: unknown) => b, default: () => null }),
    ]);
    const builder = new StateGraph(Annotation.Root(Object.fromEntries(channels))) as unknown as Builder;
    for (const id of Object.keys(graph.nodes)) builder.addNode(id, () => ({}));
    // LangGraph takes one choice for each node, of any number of targets.
    const chosen = new Map<string, string[]>();
    const choose = (from: string, targets: string[]): void => {
      chosen.set(from, [...(chosen.get(from) ?? []), ...targets.map(name)]);
    };
    for (const [id, { onError }] of Object.entries<Loose>(graph.nodes)) if (onError?.goto) choose(id, [onError.goto]);
    for (const { from, to, map, when, else: other } of graph.edges) {
      if (map) choose(from, [map.to]);
      else if (when) choose(from, [...when.map((route: Loose) => route.to), ...(other === undefined ? [] : [other])]);
      else builder.addEdge(name(from), name(to));
    }
    for (const [from, [first = '', ...others]] of chosen) {
      builder.addConditionalEdges(name(from), () => first, [...new Set([first, ...others])]);
    }
    builder.compile();
    return false;
  } catch {
    // Whatever it says: it does not take the graph.
    return true;
  }
}
