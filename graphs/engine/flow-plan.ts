import { cyclesOf, neighbours, type Link } from '#graphs/engine/topology.ts';
import type { GraphEdge, StoredGraph } from '#src/contracts/resources/graph.ts';

/** A connection between two nodes. `choice`: taken only if a router or an error route selects it. `map`: taken once for each item. */
export interface Way extends Link {
  readonly kind: 'always' | 'choice' | 'map';
}

/**
 * A loop: a strongly connected set of nodes with one entry. An iteration starts at `entry` and ends when all of `ends` (nodes or exits of
 * inner loops) have finished. Then the run starts again at `entry`, or continues after `exit`.
 */
export interface Loop {
  readonly entry: string;
  readonly members: ReadonlySet<string>;
  /** Hidden nodes of the loop: `turn` decides about another iteration, `exit` precedes the nodes after the loop. */
  readonly turn: string;
  readonly exit: string;
  readonly ends: readonly string[];
  /** Nodes with an edge back to `entry`. */
  readonly back: readonly string[];
}

/** `target` starts when all `sources` (nodes or exits of loops) have finished. */
export interface Join {
  readonly sources: readonly string[];
  readonly target: string;
}

export interface FlowPlan {
  readonly ways: readonly Way[];
  /** Incoming connections by node. */
  readonly incoming: ReadonlyMap<string, readonly Way[]>;
  readonly outgoing: ReadonlyMap<string, readonly Way[]>;
  readonly joins: readonly Join[];
  /** Outer loops before their inner loops. */
  readonly loops: readonly Loop[];
  /** Node sets of loops with several entries; such a graph has no plan. */
  readonly ambiguous: readonly (readonly string[])[];
  /** True if the graph has routers, error routes or maps. */
  readonly dynamic: boolean;
}

function waysOf({ nodes, edges }: Pick<StoredGraph, 'nodes' | 'edges'>): Way[] {
  const ofEdges = edges.flatMap(waysOfEdge);
  const ofErrors = Object.entries(nodes).flatMap(([from, { onError }]): Way[] =>
    typeof onError === 'object' ? [{ from, to: onError.goto, kind: 'choice' }] : [],
  );
  return [...ofEdges, ...ofErrors];
}

function waysOfEdge(edge: GraphEdge): Way[] {
  if ('map' in edge) return [{ from: edge.from, to: edge.map.to, kind: 'map' }];
  if ('to' in edge) return [{ from: edge.from, to: edge.to, kind: 'always' }];
  const targets = [...edge.when.map((route) => route.to), ...(edge.else === undefined ? [] : [edge.else])];
  return targets.map((to) => ({ from: edge.from, to, kind: 'choice' }));
}

/**
 * Plans the order of a run: each node is reached once (in a loop: once for each iteration), after all its predecessors. Nodes on routes
 * that were not chosen are skipped rather than left out, so that no join waits for them. Source: docs/decisions/0026.
 */
export function planFlow(graph: Pick<StoredGraph, 'nodes' | 'edges'>): FlowPlan {
  const ways = waysOf(graph);
  const known = new Set(Object.keys(graph.nodes));
  const links = ways.filter(({ from, to }) => known.has(to) && (known.has(from) || from === 'START'));
  const nests = new Nests();
  nests.find([...known], links);
  const incoming = Map.groupBy(links, ({ to }) => to);
  const joins = [...incoming].flatMap(([target, into]): Join[] => {
    const sources = new Set<string>();
    for (const way of into) {
      if (way.kind === 'map' || nests.turned(way) !== undefined) continue;
      sources.add(way.from === 'START' ? 'START' : nests.sourceOf(way));
    }
    // START has always finished, so other sources make it redundant.
    if (sources.size > 1) sources.delete('START');
    return sources.size === 0 ? [] : [{ sources: [...sources], target }];
  });
  return {
    ways,
    incoming,
    outgoing: Map.groupBy(ways, ({ from }) => from),
    joins,
    loops: nests.loops(links),
    ambiguous: nests.ambiguous,
    dynamic: ways.some(({ kind }) => kind !== 'always') || nests.size > 0,
  };
}

interface Nest {
  readonly entry: string;
  readonly members: ReadonlySet<string>;
}

/** The loops of a graph and their nesting. */
class Nests {
  readonly #all: Nest[] = [];
  readonly ambiguous: string[][] = [];

  get size(): number {
    return this.#all.length;
  }

  find(nodes: readonly string[], links: readonly Link[]): void {
    const inside = new Set(nodes);
    const own = links.filter(({ from, to }) => inside.has(from) && inside.has(to));
    for (const cycle of cyclesOf(nodes, own)) {
      const members = new Set(cycle);
      const entries = new Set(
        links.filter(({ from, to }) => members.has(to) && !members.has(from)).map(({ to }) => to),
      );
      const [entry] = entries;
      // A loop without an entry is unreachable.
      if (entry === undefined) continue;
      if (entries.size > 1) {
        this.ambiguous.push(cycle);
        continue;
      }
      this.#all.push({ entry, members });
      this.find(
        cycle,
        links.filter(({ to }) => to !== entry),
      );
    }
  }

  /** The loop whose next iteration this connection starts. */
  turned({ from, to }: Link): Nest | undefined {
    return this.#around(from).find(({ entry, members }) => entry === to && members.has(to));
  }

  /** The source of a connection: its start node, or the exit of the outermost loop that it leaves. */
  sourceOf({ from, to }: Link): string {
    const left = this.#around(from).filter(({ members }) => !members.has(to));
    const outermost = left.at(-1);
    return outermost === undefined ? from : exitOf(outermost.entry);
  }

  loops(links: readonly Link[]): Loop[] {
    const { previous } = neighbours(links);
    return this.#all.map((nest) => {
      const leaving = links.filter(
        ({ from, to }) => nest.members.has(from) && (!nest.members.has(to) || to === nest.entry),
      );
      // A connection that leaves an inner loop starts at the exit of that loop.
      const inner = ({ from }: Link): string => {
        const outermost = this.#around(from).findLast(({ members }) => members.size < nest.members.size);
        return outermost === undefined ? from : exitOf(outermost.entry);
      };
      return {
        ...nest,
        turn: `__turn__${nest.entry}`,
        exit: exitOf(nest.entry),
        ends: [...new Set(leaving.map(inner))],
        back: (previous.get(nest.entry) ?? []).filter((from) => nest.members.has(from)),
      };
    });
  }

  /** Loops around a node, innermost first. */
  #around(node: string): Nest[] {
    return this.#all.filter(({ members }) => members.has(node)).toSorted((a, b) => a.members.size - b.members.size);
  }
}

/** A name that a node of a stored graph cannot have. */
function exitOf(entry: string): string {
  return `__exit__${entry}`;
}
