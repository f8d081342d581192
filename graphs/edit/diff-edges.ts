import type { GraphEdge, StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { addEdge, removeEdge, setRouter } from '#graphs/edit/edge-operations.ts';
import { isRouter, targetsOf } from '#graphs/edit/edges.ts';
import { EditError } from '#graphs/edit/edit-error.ts';

/** Longer lists are replaced as a whole, since comparing them takes quadratic time. */
const maxCompared = 1_000;

/** Operations that turn the edges of `from` into those of `to`, including their order. Both graphs must have the same nodes. */
export function edgeOperations(from: StoredGraph, to: StoredGraph): Operation[] {
  if (canonicalJson(from.edges) === canonicalJson(to.edges)) return [];
  const whole: Operation[] = [{ op: 'set_field', path: '/edges', value: to.edges }];
  if (from.edges.length + to.edges.length > maxCompared) return whole;
  const work = { ...from, edges: structuredClone(from.edges) };
  try {
    const operations = [...changeRouters(work, to), ...removeOthers(work, to), ...addOthers(work, to)];
    return canonicalJson(work.edges) === canonicalJson(to.edges) ? operations : whole;
  } catch (error) {
    // Only set_field can make duplicates, two routers of one node and edges to missing nodes.
    if (error instanceof EditError) return whole;
    throw error;
  }
}

/** Changes routers in place, for nodes with one router before and after. */
function changeRouters(work: StoredGraph, to: StoredGraph): Operation[] {
  return to.edges.filter(isRouter).flatMap((router): Operation[] => {
    const [before, ...more] = work.edges.filter((edge) => isRouter(edge) && edge.from === router.from);
    if (before === undefined || more.length > 0 || canonicalJson(before) === canonicalJson(router)) return [];
    const { from: nodeId, when: routes, else: other } = router;
    const operation = { op: 'set_router', nodeId, routes, ...(other !== undefined && { else: other }) } as const;
    setRouter(work, structuredClone(operation));
    return [operation];
  });
}

function removeOthers(work: StoredGraph, to: StoredGraph): Operation[] {
  const kept = commonPlaces(work.edges, to.edges);
  const others = work.edges.map((_, index) => index).filter((index) => !kept.has(index));
  // Removes from the end, so that earlier indexes stay valid.
  return others.toReversed().map((index): Operation => {
    const edge = work.edges[index];
    const [target = ''] = edge === undefined ? [] : targetsOf(edge);
    const alike = work.edges.filter((one) => one.from === edge?.from && targetsOf(one).includes(target));
    if (edge !== undefined && !isRouter(edge) && alike.length === 1) {
      const operation = { op: 'remove_edge', from: edge.from, to: target } as const;
      removeEdge(work, operation);
      return operation;
    }
    work.edges.splice(index, 1);
    return { op: 'set_field', path: `/edges/${index}` };
  });
}

function addOthers(work: StoredGraph, to: StoredGraph): Operation[] {
  return to.edges.flatMap((edge, index): Operation[] => {
    const present = work.edges[index];
    if (present !== undefined && canonicalJson(present) === canonicalJson(edge)) return [];
    const at = index < work.edges.length ? { at: index } : {};
    const operation = { op: 'add_edge', edge, ...at } as const;
    addEdge(work, structuredClone(operation));
    return [operation];
  });
}

/** Indexes in `from` of a longest common subsequence of edges. */
function commonPlaces(from: readonly GraphEdge[], to: readonly GraphEdge[]): ReadonlySet<number> {
  const [a, b] = [from.map(canonicalJson), to.map(canonicalJson)];
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row -= 1)
    for (let column = b.length - 1; column >= 0; column -= 1)
      longest[row * width + column] =
        a[row] === b[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const places = new Set<number>();
  for (let row = 0, column = 0; row < a.length && column < b.length;)
    if (a[row] === b[column]) {
      places.add(row);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  return places;
}
