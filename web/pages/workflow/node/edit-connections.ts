import type { Operation } from '#src/contracts/resources/operation.ts';
import type { Graph, Link } from '../../../graph-view/graph.ts';

type Router = Extract<Graph['edges'][number], { when: unknown }>;

export const routerOf = (graph: Graph, from: string): Router | undefined =>
  graph.edges.find((edge): edge is Router => edge.from === from && 'when' in edge);

const setRouter = ({ from: nodeId, when: routes, else: other }: Router): Operation => ({
  op: 'set_router',
  nodeId,
  routes: [...routes],
  ...(other !== undefined && routes.length > 0 && { else: other }),
});

/** The operation that adds a condition after a node. */
export function addRoute(graph: Graph, from: string, route: { readonly if: string; readonly to: string }): Operation {
  const router = routerOf(graph, from) ?? { from, when: [] };
  return setRouter({ ...router, when: [...router.when, route] });
}

/** The operation that changes the routes of a node; undefined for `other` takes it away. */
export function changeRouter(graph: Graph, from: string, change: Partial<Router>): Operation {
  const router = routerOf(graph, from) ?? { from, when: [] };
  return setRouter({ ...router, ...change });
}

/** The operation that removes one line of the picture, and no other to the same node. */
export function removeLink(graph: Graph, { id, from, to, kind, place }: Link): Operation {
  if (kind === 'error') return { op: 'set_field', path: `/nodes/${from}/onError`, value: 'fail' };
  if (kind === 'else') {
    const { when = [] } = routerOf(graph, from) ?? {};
    return { op: 'set_router', nodeId: from, routes: [...when] };
  }
  if (kind === 'when') {
    const at = Number(id.split('.')[1]);
    const { when = [] } = routerOf(graph, from) ?? {};
    return changeRouter(graph, from, { when: when.filter((_, index) => index !== at) });
  }
  const alike = graph.edges.filter((edge) => edge.from === from && 'to' in edge && edge.to === to);
  const alone = kind === 'always' && alike.length === 1 && routerOf(graph, from) === undefined;
  return alone ? { op: 'remove_edge', from, to } : { op: 'set_field', path: `/edges/${place}` };
}

/** The operation that moves a route before the one above it: the first route whose condition holds wins. */
export function moveUp(graph: Graph, { id, from }: Link): Operation | null {
  const at = Number(id.split('.')[1]);
  const when = [...(routerOf(graph, from)?.when ?? [])];
  const [route] = when.splice(at, 1);
  if (route === undefined || at < 1) return null;
  when.splice(at - 1, 0, route);
  return changeRouter(graph, from, { when });
}
