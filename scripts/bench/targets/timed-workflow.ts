import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { channel, defineWorkflow, map, node } from '#graphs/build.ts';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { defineNode } from '#graphs/define.ts';

export const itemsOfMap = 50;
export const atOnceInMap = 10;

const wait = defineNode({
  type: 'bench_wait',
  version: 1,
  summary: 'Take a known time',
  params: z.strictObject({ ms: z.int().min(0), items: z.int().min(0).default(0) }),
  reads: [],
  writes: [],
  channels: ({ items }) => ({ writes: Number(items) > 0 ? ['items'] : [] }),
  pure: false,
  defaultTimeoutMs: 60_000,
  example: { ms: 1 },
  async run({ params: { ms, items }, signal }) {
    await pause(ms, undefined, { signal });
    return { update: items > 0 ? { items: Array.from({ length: items }, (_, index) => index) } : {} };
  },
});

export const timedCatalog = catalogOf([...catalog.definitions, wait]);

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);
const head = names('head', 4);
const middle = names('middle', 3);
const tail = names('tail', 10);
const branches = [20, 10, 5].map((ms, at) => ({ ms, nodes: names(`branch${at + 1}_`, 3) }));
const links = (path: readonly string[]) => path.slice(1).map((to, at) => [path[at] ?? 'START', to] as const);
const mapOf = (from: string, to: string) =>
  map(from, { over: 'items', as: 'item', to, concurrency: atOnceInMap, onItemError: 'fail' });
const timed = (nodes: readonly string[], ms: number) => nodes.map((name) => [name, node(wait, { ms })] as const);

/** 30 nodes of 5 to 20 ms: a chain, a map over 50 items, three branches, a second map over the same items, a chain. */
export const thirtyNodes = defineWorkflow({
  id: 'wf_bench_thirty',
  name: 'Thirty nodes that take a known time',
  description: 'What the engine adds to the time that nodes take.',
  state: { items: channel(z.array(z.int())) },
  nodes: Object.fromEntries([
    ...timed(head, 10),
    ['list', node(wait, { ms: 10, items: itemsOfMap })] as const,
    ...timed(['first_item'], 20),
    ...timed(middle, 10),
    ...branches.flatMap(({ ms, nodes }) => timed(nodes, ms)),
    ...timed(['join', 'second_item'], 10),
    ...timed(tail, 10),
  ]),
  edges: [
    ...links(['START', ...head, 'list']),
    mapOf('list', 'first_item'),
    ...links(['first_item', ...middle]),
    ...branches.flatMap(({ nodes }) => links([middle.at(-1) ?? '', ...nodes, 'join'])),
    mapOf('join', 'second_item'),
    ...links(['second_item', ...tail, 'END']),
  ],
  limits: { maxSteps: 100, maxConcurrency: 16 },
  outputs: {},
});

/**
 * Milliseconds of the longest way through an acyclic graph of these nodes: the sum of its nodes' times, where the target of a map counts
 * once for every full turn of its items, ceil(items / concurrency).
 */
export function criticalPathMs({ nodes, edges }: StoredGraph): number {
  const known = new Map<string, number>([['START', 0]]);
  const turns = (name: string): number =>
    edges.some((edge) => 'map' in edge && edge.map.to === name) ? Math.ceil(itemsOfMap / atOnceInMap) : 1;
  const endOf = (name: string): number => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const before = edges.flatMap((edge) => {
      const to = 'map' in edge ? edge.map.to : 'to' in edge ? edge.to : '';
      return to === name ? [endOf(edge.from)] : [];
    });
    const end = Math.max(0, ...before) + turns(name) * Number(nodes[name]?.config['ms'] ?? 0);
    known.set(name, end);
    return end;
  };
  return endOf('END');
}
