import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { DescriptionFacts, DocumentFacts, OcrFacts, originOf, readFacts, stillThere } from '#graphs/nodes/facts.ts';
import { pageOf } from '#graphs/nodes/page.ts';

export const describe = defineNode({
  type: 'describe',
  version: 1,
  summary: 'Describe the document from its first page and text, and store the description',
  params: z.strictObject({
    maxTextCharacters: z
      .int()
      .min(0)
      .max(200_000)
      .default(20_000)
      .describe('Longest recognized text to send, in characters; the rest is cut'),
  }),
  reads: ['document'],
  readsIfPresent: ['ocr', 'preprocessed'],
  writes: ['description'],
  outputs: { description: DescriptionFacts },
  pure: true,
  dependsOn: (deps) => [deps.models.describer.label],
  defaultTimeoutMs: 120_000,
  example: { maxTextCharacters: 20_000 },
  async run(call) {
    const { deps, run, state, params, signal } = call;
    const document = await deps.document(run);
    const ocr = readFacts(state, 'ocr', OcrFacts);
    const text = ocr ? stillThere(await deps.results.ocrText(run.organizationId, ocr.ocrResultId)).text : '';
    const { value, usage } = await deps.models.describer.describe({
      page: await pageOf(call, 0),
      pages: readFacts(state, 'document', DocumentFacts)?.pages ?? document.pages,
      text: text.slice(0, params.maxTextCharacters).toWellFormed(),
      avgConfidence: ocr?.avgConfidence ?? 0,
      signal,
    });
    const modelLabel = deps.models.describer.label;
    const result = { modelLabel, value, usage, baseAt: run.baseAt };
    const saved = await deps.results.saveDescription(originOf(call), result);
    const { descriptionId } = saved;
    return {
      update: { description: { descriptionId, title: saved.value.title, modelLabel: saved.modelLabel } },
      usage,
      modelLabel: saved.modelLabel,
    };
  },
});
