import { fixedBy, nodeError, type GraphIssue } from '#graphs/check/issue.ts';
import { cyclesOf } from '#graphs/engine/topology.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { Sketch, SketchEdge } from '#graphs/check/sketch.ts';

/**
 * A loop is a set of nodes that can all reach each other, entered at one node; loops inside it are what is left of it without the ways
 * back to the entry. LOOP_ENTRY_AMBIGUOUS: there is a second entry. CYCLE_WITHOUT_EXIT: whatever is chosen, the run comes back to the
 * entry, until it fails at `limits.maxSteps`.
 */
export function checkCycles(graph: Sketch): GraphIssue[] {
  const nodes = [...graph.nodes.keys()].filter((name) => graph.reached.has(name));
  const issues: GraphIssue[] = [];
  const open = [{ nodes, ways: graph.ways.filter(({ from }) => graph.reached.has(from)) }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const cycle of cyclesOf(part.nodes, part.ways)) {
      const members = new Set(cycle);
      const around = graph.ways.filter(
        ({ from, to }) => members.has(to) && !members.has(from) && isEntered(graph, from),
      );
      const entries = [...new Set(around.map(({ to }) => to))];
      const [entry] = entries;
      if (entry === undefined) continue;
      if (entries.length > 1) {
        issues.push(ambiguous(entry, entries, cycle));
        continue;
      }
      const inside = part.ways.filter(({ from, to }) => members.has(from) && members.has(to));
      if (isForced(graph, entry, cycle)) issues.push(withoutExit(graph, entry, cycle, inside));
      open.push({ nodes: cycle, ways: inside.filter(({ to }) => to !== entry) });
    }
  }
  return issues;
}

function isEntered(graph: Sketch, from: string): boolean {
  return from === 'START' || graph.reached.has(from);
}

/** Whether every choice leads from `entry` back to it. */
function isForced(graph: Sketch, entry: string, cycle: readonly string[]): boolean {
  const forced = new Set<string>();
  const leadsBack = (name: string): boolean => name === entry || forced.has(name);
  const order = cycle.toReversed();
  for (let before = -1; before !== forced.size;) {
    before = forced.size;
    for (const name of order) {
      if (!forced.has(name) && comesBack(graph, graph.leaving.get(name) ?? [], leadsBack)) forced.add(name);
    }
  }
  return forced.has(entry);
}

function comesBack(graph: Sketch, ways: readonly SketchEdge[], leadsBack: (name: string) => boolean): boolean {
  if (ways.some(({ kind, to }) => kind === 'error' && !leadsBack(to))) return false;
  if (ways.some(({ kind, to }) => (kind === 'always' || kind === 'map') && leadsBack(to))) return true;
  const routes = Map.groupBy(
    ways.filter(({ kind }) => kind === 'route'),
    ({ at }) => at,
  );
  return [...routes].some(([at, choices]) => {
    const router = graph.routers.find((one) => one.at === at);
    return router?.hasElse === true && choices.every(({ to }) => leadsBack(to));
  });
}

function ambiguous(entry: string, entries: readonly string[], cycle: readonly string[]): GraphIssue {
  const message = `The loop of ${named(cycle)} is entered at ${named(entries)}.`;
  const hint = 'Let every way into a loop lead to the same node.';
  return nodeError('LOOP_ENTRY_AMBIGUOUS', entry, message, hint);
}

function withoutExit(
  graph: Sketch,
  entry: string,
  cycle: readonly string[],
  inside: readonly SketchEdge[],
): GraphIssue {
  const message = `The run never leaves the cycle of ${named(cycle)}.`;
  const hint = 'Remove an edge of the cycle, or let a router choose between going on and going back.';
  return fixedBy(nodeError('CYCLE_WITHOUT_EXIT', entry, message, hint), ...cut(graph, entry, inside));
}

/** Takes the ways back out, where all of them are plain edges. */
function cut(graph: Sketch, entry: string, inside: readonly SketchEdge[]): Operation[] {
  const back = inside.filter(({ to }) => to === entry);
  if (back.some(({ kind }) => kind !== 'always')) return [];
  return [...new Set(back.map(({ from }) => from))].flatMap((from): Operation[] => {
    const others = (graph.leaving.get(from) ?? []).filter(({ to, kind }) => to !== entry && kind !== 'error');
    const end: Operation[] = others.length > 0 ? [] : [{ op: 'add_edge', edge: { from, to: 'END' } }];
    return [{ op: 'remove_edge', from, to: entry }, ...end];
  });
}

function named(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, 10).join(', ');
  return `${shown}${names.length > 10 ? ' and others' : ''}`;
}
