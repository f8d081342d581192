import { fixedBy, nodeError, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { cyclesOf } from '#graphs/engine/topology.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { Sketch, SketchEdge } from '#graphs/check/sketch.ts';

interface Loop {
  readonly entry: string;
  readonly members: readonly string[];
  /** Ways back to the entry. */
  readonly back: readonly SketchEdge[];
}

/**
 * A loop is a set of nodes that can all reach each other, entered at one node; loops inside it are what is left of it without the ways
 * back to the entry. LOOP_ENTRY_AMBIGUOUS: there is a second entry. CYCLE_WITHOUT_EXIT: whatever is chosen, the run comes back to the
 * entry, until it fails at `limits.maxSteps`.
 */
export function checkCycles(graph: Sketch): GraphIssue[] {
  const { loops, issues } = loopsOf(graph);
  const plainBack = new Set(loops.flatMap(({ back }) => back.filter(({ kind }) => kind === 'always')));
  const endless = loops.filter(
    (loop) => !canLeave(graph, loop, new Set([...plainBack].filter((way) => way.to !== loop.entry))),
  );
  // A loop that a plain way back makes endless is told once, not for every loop around it.
  return [...issues, ...endless.map((loop) => withoutExit(graph, loop, canLeave(graph, loop, plainBack)))];
}

/** Loops inside each other: more than anybody means, and each costs a look at the whole graph. */
const maxDepth = 8;

function loopsOf(graph: Sketch): { readonly loops: Loop[]; readonly issues: GraphIssue[] } {
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

/** Whether some choice leads from the entry out of the loop, as if the ways of `without` were not there. */
function canLeave(graph: Sketch, { entry, members }: Loop, without: ReadonlySet<SketchEdge>): boolean {
  const inside = new Set(members);
  const leaving = new Set<string>();
  const hasElse = new Set(graph.routers.filter((router) => router.hasElse).map(({ at }) => at));
  const leadsOut = (way: SketchEdge): boolean => !inside.has(way.to) || (way.to !== entry && leaving.has(way.to));
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

/** After an error only its route is taken; else all plain edges and maps, and one way of each router, or none where it has no `else`. */
function someChoice(
  hasElse: ReadonlySet<number>,
  ways: readonly SketchEdge[],
  leadsOut: (way: SketchEdge) => boolean,
): boolean {
  if (ways.some((way) => way.kind === 'error' && leadsOut(way))) return true;
  if (ways.some((way) => (way.kind === 'always' || way.kind === 'map') && !leadsOut(way))) return false;
  const routes = ways.filter(({ kind }) => kind === 'route');
  if (routes.length === 0) return true;
  return [...Map.groupBy(routes, ({ at }) => at)].every(([at, choices]) => !hasElse.has(at) || choices.some(leadsOut));
}

function tooDeep(entry: string, members: readonly string[], own: readonly SketchEdge[]): GraphIssue[] {
  if (
    cyclesOf(
      members,
      own.filter(({ to }) => to !== entry),
    ).length === 0
  )
    return [];
  const message = `There are more than ${maxDepth} loops inside each other.`;
  return [nodeError('LIMIT_EXCEEDED', entry, message, 'Put the inner ones into a workflow of their own.')];
}

function ambiguous(entries: readonly string[], members: readonly string[]): GraphIssue {
  const [first = ''] = entries.toSorted();
  const message = `The loop of ${named(members)} is entered at ${named(entries)}.`;
  return nodeError('LOOP_ENTRY_AMBIGUOUS', first, message, 'Let every way into a loop lead to the same node.');
}

/** `mended`: without its plain ways back, the loop can be left. */
function withoutExit(graph: Sketch, { entry, members, back }: Loop, mended: boolean): GraphIssue {
  const message = `The run never leaves the cycle of ${named(members)}.`;
  const hint = 'Remove an edge of the cycle, or let a router choose between going on and going back.';
  const issue = nodeError('CYCLE_WITHOUT_EXIT', entry, message, hint);
  return mended
    ? fixedBy(
        issue,
        ...cut(
          graph,
          back.filter(({ kind }) => kind === 'always'),
        ),
      )
    : issue;
}

/** Takes plain edges out; what they left without a way on leads to END. */
function cut(graph: Sketch, back: readonly SketchEdge[]): Operation[] {
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
