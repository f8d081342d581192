import { linksOf, type Graph, type Link } from './graph.ts';

export type Change = 'added' | 'removed' | 'changed';

/** Letters beside the colours, so that a comparison can be read without them. */
export const changeLetters: Readonly<Record<Change, string>> = { added: 'A', removed: 'R', changed: 'C' };

export interface Comparison {
  /** Both graphs in one: nodes of the newer one, and those that it lost. */
  readonly graph: Graph;
  readonly nodes: ReadonlyMap<string, Change>;
  /** Changes of lines, by their key. */
  readonly links: ReadonlyMap<string, Change>;
}

/** A JSON text that does not depend on the order of members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}

export const linkKey = ({ from, to, kind, text = '' }: Link): string => `${from} ${to} ${kind} ${text}`;

/** Differences between two graphs, for a picture of both. */
export function compared(before: Graph, after: Graph): Comparison {
  const ids = [...new Set([...Object.keys(after.nodes), ...Object.keys(before.nodes)])];
  const nodes = new Map(
    ids.flatMap((id): [string, Change][] => {
      const [old, now] = [before.nodes[id], after.nodes[id]];
      if (old === undefined) return [[id, 'added']];
      if (now === undefined) return [[id, 'removed']];
      return canonical(old) === canonical(now) ? [] : [[id, 'changed']];
    }),
  );
  const [old, now] = [linksOf(before), linksOf(after)].map((links) => new Set(links.map(linkKey)));
  const links = new Map<string, Change>();
  for (const key of now ?? []) if (old?.has(key) === false) links.set(key, 'added');
  for (const key of old ?? []) if (now?.has(key) === false) links.set(key, 'removed');
  const lost = before.edges.filter((edge) =>
    linksOf({ ...before, edges: [edge], nodes: {} }).some((link) => links.get(linkKey(link)) === 'removed'),
  );
  const gone = lost.flatMap((edge) =>
    linksOf({ ...before, edges: [edge], nodes: {} })
      .filter((link) => links.get(linkKey(link)) === 'removed')
      .map((link) =>
        link.kind === 'when'
          ? { from: link.from, when: [{ if: link.text ?? '', to: link.to }] }
          : link.kind === 'else'
            ? { from: link.from, when: [], else: link.to }
            : edge,
      ),
  );
  const removed = Object.entries(before.nodes).filter(([id]) => nodes.get(id) === 'removed');
  return {
    graph: {
      ...after,
      nodes: { ...after.nodes, ...Object.fromEntries(removed) },
      edges: [...after.edges, ...gone],
    },
    nodes,
    links,
  };
}
