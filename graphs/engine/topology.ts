export interface Link {
  readonly from: string;
  readonly to: string;
}

export type Neighbours = ReadonlyMap<string, readonly string[]>;

/** Adjacency lists: `next` follows the links, `previous` reverses them. Nodes without links have no entry. */
export function neighbours(links: readonly Link[]): { readonly next: Neighbours; readonly previous: Neighbours } {
  const next = new Map<string, string[]>();
  const previous = new Map<string, string[]>();
  for (const { from, to } of links) {
    push(next, from, to);
    push(previous, to, from);
  }
  return { next, previous };
}

/** Nodes reachable from `start` over one or more links, without entering `without`. */
export function reachable(start: Iterable<string>, next: Neighbours, without?: string): Set<string> {
  const seen = new Set<string>();
  const open = [...start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const target of next.get(name) ?? []) {
      if (target === without || seen.has(target)) continue;
      seen.add(target);
      open.push(target);
    }
  }
  return seen;
}

/**
 * Strongly connected components with more than one node, and nodes linked to themselves, in order of first appearance. Kosaraju's
 * algorithm, iterative so that a long chain cannot overflow the stack.
 */
export function cyclesOf(nodes: readonly string[], links: readonly Link[]): string[][] {
  const known = new Set(nodes);
  const { next, previous } = neighbours(links.filter(({ from, to }) => known.has(from) && known.has(to)));
  const assigned = new Set<string>();
  const cycles: string[][] = [];
  for (const root of finishOrder(nodes, next).toReversed()) {
    if (assigned.has(root)) continue;
    assigned.add(root);
    const members = [root];
    for (const member of members) {
      for (const parent of previous.get(member) ?? []) {
        if (assigned.has(parent)) continue;
        assigned.add(parent);
        members.push(parent);
      }
    }
    if (members.length > 1 || next.get(root)?.includes(root) === true) cycles.push(members);
  }
  return cycles;
}

function finishOrder(nodes: readonly string[], next: Neighbours): string[] {
  const seen = new Set<string>();
  const finished: string[] = [];
  for (const root of nodes) {
    const stack = seen.has(root) ? [] : [{ name: root, at: 0 }];
    seen.add(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const child = next.get(top.name)?.[top.at];
      top.at += 1;
      if (child === undefined) {
        finished.push(top.name);
        stack.pop();
      } else if (!seen.has(child)) {
        seen.add(child);
        stack.push({ name: child, at: 0 });
      }
    }
  }
  return finished;
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
