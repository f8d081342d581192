import { z } from 'zod';
import { channel, defineWorkflow, node, type CodeWorkflow } from '#graphs/build.ts';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { defineNode } from '#graphs/define.ts';

const noop = defineNode({
  type: 'bench_noop',
  version: 1,
  summary: 'Count to one more',
  params: z.strictObject({}),
  reads: [],
  readsIfPresent: ['n'],
  writes: ['n'],
  pure: true,
  // Looking an outcome up costs more: as `transform`.
  cheap: true,
  defaultTimeoutMs: 60_000,
  example: {},
  run: async ({ state }) => ({ update: { n: Number(state['n'] ?? 0) + 1 } }),
});

export const noopCatalog = catalogOf([...catalog.definitions, noop]);

/** Nodes in a row that only count. */
export function noopWorkflow(steps: number): CodeWorkflow {
  const names = Array.from({ length: steps }, (_, index) => `n${index + 1}`);
  const path = ['START', ...names, 'END'];
  return defineWorkflow({
    id: `wf_bench_noop_${steps}`,
    name: `${steps} steps that do nothing`,
    description: 'What the engine itself costs.',
    state: { n: channel(z.int()) },
    nodes: Object.fromEntries(names.map((name) => [name, node(noop, {})])),
    edges: path.slice(1).map((to, index) => [path[index] ?? 'START', to] as const),
    limits: { maxSteps: steps + 1 },
    outputs: { n: 'n' },
  });
}
