import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { DocumentFacts, originOf, readFacts } from '#graphs/nodes/facts.ts';
import { pageOf } from '#graphs/nodes/page.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

export const ocr = defineNode({
  type: 'ocr',
  version: 1,
  summary: 'Recognize the text of every page and store it with its boxes and confidence',
  params: z.strictObject({
    language: z
      .string()
      .regex(/^[a-zA-Z_]{2,32}(\+[a-zA-Z_]{2,32}){0,7}$/)
      .optional()
      .describe('Tesseract language codes joined by +; default: OCR_LANGUAGE'),
    pageSegmentationMode: z
      .int()
      .min(0)
      .max(13)
      .optional()
      .describe('Tesseract page segmentation mode; default: several modes until the result is good'),
    timeoutMs: z.int().min(1_000).max(600_000).default(60_000).describe('Time limit for one page, in milliseconds'),
  }),
  reads: ['document'],
  readsIfPresent: ['preprocessed'],
  writes: ['ocr'],
  pure: true,
  dependsOn: (deps, params) => [deps.ocr.label, params.language ?? deps.ocr.language],
  defaultTimeoutMs: 1_800_000,
  example: { language: 'eng', timeoutMs: 60_000 },
  async run(call) {
    const { deps, run, state, params, signal } = call;
    const document = await deps.document(run);
    const pageCount = readFacts(state, 'document', DocumentFacts)?.pages ?? document.pages;
    const { language = deps.ocr.language, pageSegmentationMode, timeoutMs } = params;
    const pages: OcrPage[] = [];
    // One page at a time bounds memory.
    for (let index = 0; index < pageCount; index += 1) {
      signal.throwIfAborted();
      const page = await pageOf(call, index);
      const mode = pageSegmentationMode === undefined ? {} : { pageSegmentationMode };
      pages.push(await deps.ocr.recognize(page, { language, timeoutMs, signal, ...mode }));
    }
    const saved = await deps.results.saveOcr(originOf(call), {
      modelLabel: `${deps.ocr.label} ${language}`,
      text: pages.map((page) => page.text).join('\f'),
      avgConfidence: averageConfidence(pages),
      result: { engine: deps.ocr.label, language, pages },
    });
    const { ocrResultId, modelLabel, avgConfidence } = saved;
    return { update: { ocr: { ocrResultId, characters: saved.text.length, avgConfidence, modelLabel } }, modelLabel };
  },
});

/** Mean word confidence, 0..100, weighted by word length; 0 without words. */
function averageConfidence(pages: readonly OcrPage[]): number {
  let weighted = 0;
  let characters = 0;
  for (const word of pages.flatMap((page) => page.lines.flatMap((line) => line.words))) {
    weighted += word.confidence * word.text.length;
    characters += word.text.length;
  }
  return characters === 0 ? 0 : weighted / characters;
}
