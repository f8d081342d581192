import { cyclesOf, neighbours, type Link } from '#graphs/engine/topology.ts';
import type { GraphEdge, StoredGraph } from '#src/contracts/resources/graph.ts';

/** A way from one node to another; `choice`: taken only when a router or an error route says so; `map`: once for each item. */
export interface Way extends Link {
  readonly kind: 'always' | 'choice' | 'map';
}

/**
 * A loop: a set of nodes that can all reach each other, entered at one node. An iteration begins at `entry` and ends when every node
 * in `ends` (a node, or the exit of a loop inside) is through; then the run either begins again at `entry` or goes on behind `exit`.
 */
export interface Loop {
  readonly entry: string;
  readonly members: ReadonlySet<string>;
  /** Name of the hidden node that decides whether to begin again, and of the one behind which the run goes on. */
  readonly turn: string;
  readonly exit: string;
  readonly ends: readonly string[];
  /** Nodes with a way back to `entry`. */
  readonly back: readonly string[];
}

/** What a run waits for before it comes to `target`: all of `sources`, nodes or exits of loops. */
export interface Join {
  readonly sources: readonly string[];
  readonly target: string;
}

export interface FlowPlan {
  readonly ways: readonly Way[];
  /** Ways that lead to a node, by node. */
  readonly incoming: ReadonlyMap<string, readonly Way[]>;
  readonly outgoing: ReadonlyMap<string, readonly Way[]>;
  readonly joins: readonly Join[];
  /** Outer loops before the ones inside. */
  readonly loops: readonly Loop[];
  /** Nodes of loops with more than one entry: such a graph has no plan. */
  readonly ambiguous: readonly (readonly string[])[];
  /** Whether anything is chosen at run time. */
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
 * How a run goes through a graph: each node is come to once (in a loop: once in each iteration), after everything that leads to it.
 * What was not chosen is passed through without being run, so that no join waits for it. Source: decision 0026.
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
    // START is where the run begins anyhow: it adds nothing to other parents.
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

/** The loops of a graph, and which of them each node is inside of. */
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
      // Without an entry nothing leads there, and there is nothing to plan.
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

  /** The loop that this way begins again. */
  turned({ from, to }: Link): Nest | undefined {
    return this.#around(from).find(({ entry, members }) => entry === to && members.has(to));
  }

  /** The node behind which a way begins: where it starts, or the exit of the outermost loop that it leaves. */
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
      // Seen from inside: a way out of a loop in here begins at that loop's exit.
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

  /** Innermost first. */
  #around(node: string): Nest[] {
    return this.#all.filter(({ members }) => members.has(node)).toSorted((a, b) => a.members.size - b.members.size);
  }
}

/** Not a name that a stored graph can give a node. */
function exitOf(entry: string): string {
  return `__exit__${entry}`;
}
