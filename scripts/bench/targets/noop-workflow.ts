import { z } from 'zod';
import { channel, defineWorkflow, node } from '#graphs/build.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { defineNode } from '#graphs/define.ts';
import type { App } from '#src/compose.ts';
import { newId } from '#src/domain/ids.ts';
import type { Seed } from '#scripts/cli/seed-data.ts';

const noop = defineNode({
  type: 'bench_noop',
  version: 1,
  summary: 'Count to one more',
  params: z.strictObject({}),
  reads: [],
  readsIfPresent: ['n'],
  writes: ['n'],
  pure: true,
  cheap: true,
  defaultTimeoutMs: 60_000,
  example: {},
  run: async ({ state }) => ({ update: { n: Number(state['n'] ?? 0) + 1 } }),
});

export const noopCatalog = catalogOf([noop]);

/** Five nodes in a row that only count. */
const fiveSteps = defineWorkflow({
  id: 'wf_bench_noop',
  name: 'Five steps that do nothing',
  description: 'What the engine itself costs.',
  state: { n: channel(z.int()) },
  nodes: { a: node(noop, {}), b: node(noop, {}), c: node(noop, {}), d: node(noop, {}), e: node(noop, {}) },
  edges: [
    ['START', 'a'],
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
    ['d', 'e'],
    ['e', 'END'],
  ],
  outputs: { n: 'n' },
});

/** Stores the workflow as published, version 1; answers its id. */
export async function addNoopWorkflow({ deps }: App, { organizationId, projectId }: Seed): Promise<string> {
  const now = new Date();
  const _id = newId('workflow', now);
  const { graph, graphHash } = fiveSteps;
  await deps.workflows.insert(
    {
      _id,
      schemaVersion: 1,
      organizationId,
      projectId,
      name: graph.name,
      description: graph.description,
      source: 'stored',
      codeName: null,
      publishedVersion: 1,
      publishedHash: graphHash,
      createdAt: now,
      updatedAt: now,
    },
    {
      version: {
        _id: `${_id}@1`,
        organizationId,
        workflowId: _id,
        version: 1,
        graphHash,
        graph,
        fromRevision: null,
        at: now,
        author: 'bench',
        surface: 'code',
        note: null,
      },
    },
  );
  return _id;
}
