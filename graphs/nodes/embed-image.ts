import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { EmbeddingFacts, originOf } from '#graphs/nodes/facts.ts';
import { pageOf } from '#graphs/nodes/page.ts';

export const embedImage = defineNode({
  type: 'embed_image',
  version: 1,
  summary: 'Compute an embedding and a block hash of the first page, for near-duplicates and visual search',
  params: z.strictObject({}),
  reads: [],
  readsIfPresent: ['preprocessed'],
  writes: ['imageEmbedding'],
  outputs: { imageEmbedding: EmbeddingFacts },
  pure: true,
  dependsOn: (deps) => [deps.models.image.label],
  defaultTimeoutMs: 60_000,
  example: {},
  async run(call) {
    const { deps, signal } = call;
    const embedder = deps.models.image;
    const { vector, blockHash, usage } = await embedder.embedImage(await pageOf(call, 0), signal);
    const embedding = { kind: 'image', modelLabel: embedder.label, vector, blockHash } as const;
    const { embeddingId, modelLabel, vector: stored } = await deps.results.saveEmbedding(originOf(call), embedding);
    return { update: { imageEmbedding: { embeddingId, modelLabel, dimensions: stored.length } }, usage, modelLabel };
  },
});
