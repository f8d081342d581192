import { fixedBy, nodeError, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { cyclesOf } from '#graphs/engine/topology.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { GraphOutline, OutlineEdge } from '#graphs/check/outline.ts';

interface Loop {
  readonly entry: string;
  readonly members: readonly string[];
  /** Edges back to the entry. */
  readonly back: readonly OutlineEdge[];
}

/**
 * A loop is a strongly connected set of nodes with one entry. Without the edges back to its entry, the remaining strongly connected sets
 * are its inner loops. LOOP_ENTRY_AMBIGUOUS: a loop has a second entry. CYCLE_WITHOUT_EXIT: every route leads back to the entry, until
 * the run fails at `limits.maxSteps`.
 */
export function checkCycles(graph: GraphOutline): GraphIssue[] {
  const { loops, issues } = loopsOf(graph);
  const plainBack = new Set(loops.flatMap(({ back }) => back.filter(({ kind }) => kind === 'always')));
  const endless = loops.filter(
    (loop) => !canLeave(graph, loop, new Set([...plainBack].filter((way) => way.to !== loop.entry))),
  );
  // Reports a loop that a plain back edge makes endless once, not again for every loop around it.
  return [...issues, ...endless.map((loop) => withoutExit(graph, loop, canLeave(graph, loop, plainBack)))];
}

/** Deepest nesting of loops that is checked, since each level costs another pass over the graph. */
const maxDepth = 8;

function loopsOf(graph: GraphOutline): { readonly loops: Loop[]; readonly issues: GraphIssue[] } {
  const nodes = [...graph.reached];
  const ways = graph.ways.filter(({ from, to }) => graph.reached.has(from) && graph.reached.has(to));
  const loops: Loop[] = [];
  const issues: GraphIssue[] = [];
  const open = [{ nodes, ways, depth: 0 }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const members of cyclesOf(part.nodes, part.ways)) {
      const inside = new Set(members);
      const entries = members.filter((name) =>
        graph.coming.get(name)?.some(({ from }) => !inside.has(from) && (from === 'START' || graph.reached.has(from))),
      );
      const [entry] = entries;
      if (entry === undefined) continue;
      if (entries.length > 1) {
        issues.push(ambiguous(entries, members));
        continue;
      }
      const own = part.ways.filter(({ from, to }) => inside.has(from) && inside.has(to));
      loops.push({ entry, members, back: own.filter(({ to }) => to === entry) });
      const depth = part.depth + 1;
      if (depth < maxDepth) open.push({ nodes: members, ways: own.filter(({ to }) => to !== entry), depth });
      else issues.push(...tooDeep(entry, members, own));
    }
  }
  return { loops, issues };
}

/** True if some route leads from the entry out of the loop, without using the edges of `without`. */
function canLeave(graph: GraphOutline, { entry, members }: Loop, without: ReadonlySet<OutlineEdge>): boolean {
  const inside = new Set(members);
  const leaving = new Set<string>();
  const hasElse = new Set(graph.routers.filter((router) => router.hasElse).map(({ at }) => at));
  const leadsOut = (way: OutlineEdge): boolean => !inside.has(way.to) || (way.to !== entry && leaving.has(way.to));
  const ways = new Map(
    members.map((name) => [name, (graph.leaving.get(name) ?? []).filter((way) => !without.has(way))]),
  );
  const order = members.toReversed();
  for (let before = -1; before !== leaving.size;) {
    before = leaving.size;
    for (const name of order)
      if (!leaving.has(name) && someChoice(hasElse, ways.get(name) ?? [], leadsOut)) leaving.add(name);
  }
  return leaving.has(entry);
}

/** An error takes only the error route. Success takes all plain edges and maps, and one route of each router (none, if it has no `else`). */
function someChoice(
  hasElse: ReadonlySet<number>,
  ways: readonly OutlineEdge[],
  leadsOut: (way: OutlineEdge) => boolean,
): boolean {
  if (ways.some((way) => way.kind === 'error' && leadsOut(way))) return true;
  if (ways.some((way) => (way.kind === 'always' || way.kind === 'map') && !leadsOut(way))) return false;
  const routes = ways.filter(({ kind }) => kind === 'route');
  if (routes.length === 0) return true;
  return [...Map.groupBy(routes, ({ at }) => at)].every(([at, choices]) => !hasElse.has(at) || choices.some(leadsOut));
}

function tooDeep(entry: string, members: readonly string[], own: readonly OutlineEdge[]): GraphIssue[] {
  if (
    cyclesOf(
      members,
      own.filter(({ to }) => to !== entry),
    ).length === 0
  )
    return [];
  const message = `Loops are nested more than ${maxDepth} deep.`;
  return [nodeError('LIMIT_EXCEEDED', entry, message, 'Move the inner loops to a workflow of their own.')];
}

function ambiguous(entries: readonly string[], members: readonly string[]): GraphIssue {
  const [first = ''] = entries.toSorted();
  const message = `The loop of ${named(members)} has several entries: ${named(entries)}.`;
  return nodeError('LOOP_ENTRY_AMBIGUOUS', first, message, 'Make every edge into the loop lead to the same node.');
}

/** `isFixable`: the loop has an exit once its plain back edges are removed. */
function withoutExit(graph: GraphOutline, { entry, members, back }: Loop, isFixable: boolean): GraphIssue {
  const message = `The run never leaves the cycle of ${named(members)}.`;
  const hint = 'Remove an edge of the cycle, or add a router that can leave it.';
  const issue = nodeError('CYCLE_WITHOUT_EXIT', entry, message, hint);
  return isFixable
    ? fixedBy(
        issue,
        ...cut(
          graph,
          back.filter(({ kind }) => kind === 'always'),
        ),
      )
    : issue;
}

/** Removes plain edges; nodes that have no other outgoing edge lead to END. */
function cut(graph: GraphOutline, back: readonly OutlineEdge[]): Operation[] {
  const removed = back.toSorted((a, b) => b.at - a.at).map(({ at }) => setField(pointer('edges', at)));
  const ended = [...new Set(back.map(({ from }) => from))].filter((from) =>
    (graph.leaving.get(from) ?? []).every((way) => back.includes(way) || way.kind === 'error'),
  );
  return [...removed, ...ended.map((from): Operation => ({ op: 'add_edge', edge: { from, to: 'END' } }))];
}

function named(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, 10).join(', ');
  return `${shown}${names.length > 10 ? ' and others' : ''}`;
}
