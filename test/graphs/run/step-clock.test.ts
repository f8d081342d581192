import { expect } from 'vitest';
import { FairPool, places, type Turn } from '#src/concurrency/fair-pool.ts';
import { createRunDocuments } from '#app/agents/documents/run-documents.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { ImageCodec, PageImage } from '#src/domain/ports/image-codec.ts';
import { documentRecord } from '#test/support/records.ts';
import { verifies } from '#test/support/verifies.ts';
import { graphOf, runGraph, testNode } from '#test/graphs/support/graph-fixtures.ts';

const page: PageImage = { index: 0, width: 1, height: 1, png: Buffer.from('png') };

verifies('pages.step_clock', async () => {
  const pool = new FairPool({ name: 'pages', ...places(1) });
  const asked = Promise.withResolvers<void>();
  const images = {
    page(_bytes: Buffer, _index: number, turn: Omit<Turn, 'owner'> = {}) {
      asked.resolve();
      return pool.use({ ...turn, owner: 'org_a' }, async () => page);
    },
  } as Partial<ImageCodec> as ImageCodec;
  const documentOf = createRunDocuments({
    documents: { find: async () => documentRecord({ organizationId: 'org_a' }) } as never,
    objects: { get: async () => Buffer.from('bytes') },
    images,
  });
  const deps = { document: documentOf } as Partial<NodeDeps> as NodeDeps;
  const read = testNode('read', async ({ deps: { document }, run, signal }) => {
    await (await document(run)).page(0, signal);
    return { update: {} };
  });
  const before = Promise.withResolvers<void>();
  // Its own organization holds the only place.
  const held = pool.use({ owner: 'org_a' }, () => before.promise);
  const timeoutMs = 200;
  const graph = graphOf({ a: { type: 'read', timeoutMs } }, ['START>a', 'a>END']);
  const run = runGraph(graph, { deps, definitions: [read] });
  await asked.promise;
  // A step with the same limit that begins now is over its time.
  const deaf = testNode('deaf', () => new Promise(() => undefined));
  const other = graphOf({ a: { type: 'deaf', timeoutMs } }, ['START>a', 'a>END']);
  await expect(runGraph(other, { definitions: [deaf] })).rejects.toMatchObject({ code: 'run.step_timeout' });
  before.resolve();
  await held;
  await expect(run).resolves.toMatchObject({ status: 'succeeded' });
});
