import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { originOf } from '#graphs/nodes/facts.ts';

export const embedImage = defineNode({
  type: 'embed_image',
  version: 1,
  summary: 'Turn the first page into a vector and a block hash, for near-duplicates and visual search',
  params: z.strictObject({}),
  reads: [],
  writes: ['imageEmbedding'],
  pure: true,
  defaultTimeoutMs: 60_000,
  example: {},
  async run(call) {
    const { deps, run, signal } = call;
    const document = await deps.document(run);
    const embedder = deps.models.image;
    const { vector, blockHash, usage } = await embedder.embedImage(await document.page(0, signal), signal);
    const embedding = { kind: 'image', modelLabel: embedder.label, vector, blockHash } as const;
    const { embeddingId, modelLabel, vector: stored } = await deps.results.saveEmbedding(originOf(call), embedding);
    return { update: { imageEmbedding: { embeddingId, modelLabel, dimensions: stored.length } }, usage };
  },
});
