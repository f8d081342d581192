import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { DescriptionFacts, EmbeddingFacts, OcrFacts, originOf, readFacts, stillThere } from '#graphs/nodes/facts.ts';

export const embedText = defineNode({
  type: 'embed_text',
  version: 1,
  summary: 'Compute one text embedding of title, description and recognized text',
  params: z.strictObject({
    maxTextCharacters: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(200_000)
      .describe('Longest recognized text to embed, in characters; the rest is cut'),
  }),
  reads: [],
  readsIfPresent: ['description', 'ocr'],
  writes: ['textEmbedding'],
  outputs: { textEmbedding: EmbeddingFacts },
  pure: true,
  dependsOn: (deps) => [deps.models.text.label],
  defaultTimeoutMs: 60_000,
  example: { maxTextCharacters: 200_000 },
  async run(call) {
    const { deps, run, state, params, signal } = call;
    const description = readFacts(state, 'description', DescriptionFacts);
    const ocr = readFacts(state, 'ocr', OcrFacts);
    const parts: string[] = [];
    if (description) {
      const { value } = stillThere(await deps.results.descriptionById(run.organizationId, description.descriptionId));
      parts.push(value.title, value.description);
    }
    if (ocr) {
      const { text } = stillThere(await deps.results.ocrText(run.organizationId, ocr.ocrResultId));
      parts.push(text.slice(0, params.maxTextCharacters).toWellFormed());
    }
    const embedder = deps.models.text;
    const { vector, usage } = await embedder.embedDocument(parts.filter((part) => part !== '').join('\n'), signal);
    const embedding = { kind: 'text', modelLabel: embedder.label, vector } as const;
    const { embeddingId, modelLabel, vector: stored } = await deps.results.saveEmbedding(originOf(call), embedding);
    return { update: { textEmbedding: { embeddingId, modelLabel, dimensions: stored.length } }, usage, modelLabel };
  },
});
