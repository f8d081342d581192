import { own } from '#src/contracts/own.ts';
import { errorAt, fixedBy, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { fits } from '#graphs/engine/reducers.ts';
import { reachable } from '#graphs/engine/topology.ts';
import type { Reducer } from '#src/contracts/resources/graph.ts';
import type { GraphOutline, OutlineChannel } from '#graphs/check/outline.ts';

/** REDUCER_CONFLICT: parallel nodes, or the items of a map, write the same `replace` channel, which LangGraph rejects. */
export function checkReducers(graph: GraphOutline): GraphIssue[] {
  return [...graph.channels.values()].flatMap((channel) => {
    if (channel.reducer !== 'replace') return [];
    const pair = conflictOver(graph, channel.name);
    if (!pair) return [];
    const [first, second] = pair;
    const message =
      first === second
        ? `"${first}" runs for each item of a map and replaces "${channel.name}" each time.`
        : `"${first}" and "${second}" run in parallel and both replace "${channel.name}".`;
    const hint = 'Run one after the other, or use the reducer append, merge or unionById.';
    const path = pointer('state', channel.name, 'reducer');
    const issue = { ...errorAt('REDUCER_CONFLICT', path, message, hint), nodeId: first };
    return [fixedBy(issue, setField(path, reducerFor(channel)))];
  });
}

/** Chooses a reducer by the type in the channel's schema; its default must fit. */
export function reducerFor({ schema, default: first }: Pick<OutlineChannel, 'schema' | 'default'>): Reducer {
  const byType: Readonly<Record<string, Reducer>> = { object: 'merge', number: 'max', integer: 'max' };
  const { type } = schema;
  const wanted = (typeof type === 'string' ? own(byType, type) : undefined) ?? 'append';
  const order: Reducer[] = [wanted, 'append', 'merge', 'max'];
  return order.find((one) => first === undefined || fits(one, first)) ?? 'append';
}

/** The first two nodes that can write a channel in the same step; a map target that writes it is returned twice. */
export function conflictOver(graph: GraphOutline, channel: string): [string, string] | undefined {
  const writers = [...graph.nodes.values()]
    .filter(({ id, io }) => graph.reached.has(id) && io.writes.includes(channel))
    .map(({ id }) => id);
  const mapped = writers.find((id) => graph.maps.some(({ to }) => to === id));
  if (mapped !== undefined) return [mapped, mapped];
  if (writers.length < 2) return undefined;
  const after = new Map(writers.map((id) => [id, reachable([id], graph.next)]));
  const isOrdered = (a: string, b: string): boolean => after.get(a)?.has(b) === true || after.get(b)?.has(a) === true;
  let chosen: ReadonlyMap<string, Choices> | undefined;
  for (const [at, a] of writers.entries()) {
    for (const b of writers.slice(at + 1)) {
      if (isOrdered(a, b)) continue;
      chosen ??= choicesBefore(graph);
      if (!isExclusive(chosen.get(a), chosen.get(b))) return [a, b];
    }
  }
  return undefined;
}

/** Choices that lead to a node: the chosen target by router or error route. */
type Choices = ReadonlyMap<string, string>;

function isExclusive(a: Choices = new Map(), b: Choices = new Map()): boolean {
  return [...a].some(([place, way]) => b.has(place) && b.get(place) !== way);
}

/** Choices that all paths to each node share. Repeats until nothing changes, since graphs have loops. */
function choicesBefore(graph: GraphOutline): ReadonlyMap<string, Choices> {
  const found = new Map<string, Choices>([['START', new Map()]]);
  const open = new Set(['START']);
  for (const name of open) {
    open.delete(name);
    const route = graph.nodes.get(name)?.route;
    for (const { from, to, kind, at } of graph.leaving.get(name) ?? []) {
      const choices = new Map(found.get(from));
      // A failed node takes its error route only.
      if (route) choices.set(`${from} ends`, kind === 'error' ? 'failed' : 'well');
      if (kind === 'route') choices.set(`router ${at}`, to);
      const known = found.get(to);
      const common = known === undefined ? choices : inCommon(known, choices);
      if (known !== undefined && known.size === common.size) continue;
      found.set(to, common);
      open.add(to);
    }
  }
  return found;
}

function inCommon(a: Choices, b: Choices): Choices {
  return new Map([...a].filter(([place, way]) => b.get(place) === way));
}
