import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { DocumentFacts, originOf, readFacts } from '#graphs/nodes/facts.ts';
import { pageOf } from '#graphs/nodes/page.ts';
import { averageConfidence, readPageOf } from '#src/domain/documents/read-page.ts';
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
    const modelLabel = `${deps.ocr.label} ${language}`;
    const mode = pageSegmentationMode === undefined ? {} : { pageSegmentationMode };
    const origin = originOf(call);
    // A page is stored as soon as it is read, so that a later attempt goes on after it. One alone is stored with its result.
    const isAlone = pageCount === 1;
    const kept = isAlone ? [] : await deps.results.readPages(origin, modelLabel);
    const read = new Map(kept.map((page) => [page.index, page]));
    let alone: readonly OcrPage[] = [];
    for (let index = 0; index < pageCount; index += 1) {
      if (read.has(index)) continue;
      signal.throwIfAborted();
      const page = await deps.ocr.recognize(await pageOf(call, index), { language, timeoutMs, signal, ...mode });
      if (isAlone) alone = [page];
      else await deps.results.saveOcrPage(origin, { modelLabel, page });
      read.set(index, readPageOf(page));
    }
    const pages = [...read.values()].toSorted((a, b) => a.index - b.index);
    const saved = await deps.results.saveOcr(origin, {
      modelLabel,
      text: pages.map((page) => page.text).join('\f'),
      avgConfidence: averageConfidence(pages),
      result: { engine: deps.ocr.label, language, pages: alone },
      ...(isAlone ? {} : { pagesApart: true }),
    });
    const { ocrResultId, avgConfidence } = saved;
    return { update: { ocr: { ocrResultId, characters: saved.text.length, avgConfidence, modelLabel } }, modelLabel };
  },
});
