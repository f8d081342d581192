import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { DocumentFacts, OcrFacts, originOf, PreprocessedFacts, readFacts } from '#graphs/nodes/facts.ts';
import { findLanguage } from '#graphs/nodes/find-language.ts';
import { readPage, type ReadCall } from '#graphs/nodes/read-page.ts';
import { presentWarnings } from '#src/contracts/page-warnings.ts';
import { AppError } from '#src/domain/app-error.ts';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import { averageConfidence, readPageOf, warningsOf } from '#src/domain/documents/read-page.ts';
import { anyLanguage, detectable } from '#src/domain/documents/languages/choose.ts';
import type { ReadPage } from '#src/domain/documents/results.ts';
import { layerLabel } from '#src/domain/documents/text-layer.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

const version = 1;

/** Settings of the node and changes of its pages that decide their words. */
const wayOf = ({ params, state }: Pick<ReadCall, 'params' | 'state'>) => ({
  mode: params.pageSegmentationMode ?? null,
  textLayers: params.textLayers,
  changed: readFacts(state, 'preprocessed', PreprocessedFacts)?.pages ?? [],
});

export const ocr = defineNode({
  type: 'ocr',
  version,
  summary: 'Read the text of every page, from the PDF or by recognition, and store it with its boxes and confidence',
  params: z.strictObject({
    language: z
      .string()
      .regex(/^[a-zA-Z_]{2,32}(\+[a-zA-Z_]{2,32}){0,7}$/)
      .optional()
      .describe(
        'Tesseract language codes joined by +, for documents without languages of their own; auto: the installed language that is found in the text; default: OCR_LANGUAGE',
      ),
    overridesDocument: z
      .boolean()
      .optional()
      .describe('true: language counts also for documents with languages of their own'),
    pageSegmentationMode: z
      .int()
      .min(0)
      .max(13)
      .optional()
      .describe('Tesseract page segmentation mode; default: several modes until the result is good'),
    textLayers: z
      .boolean()
      .default(true)
      .describe('Use the text that a PDF states, where it can be trusted; false: recognize every page'),
    timeoutMs: z
      .int()
      .min(1_000)
      .max(600_000)
      .default(60_000)
      .describe(
        'Limit of computing time for one page, in milliseconds; a busy machine may take up to ten times as long',
      ),
  }),
  reads: ['document'],
  readsIfPresent: ['preprocessed'],
  writes: ['ocr'],
  outputs: { ocr: OcrFacts },
  pure: true,
  dependsOn: ({ ocr: engine }, params) => {
    const wanted = params.language ?? engine.language;
    const language = wanted === anyLanguage ? `auto:${detectable(engine.installed()).join('+')}` : wanted;
    return [engine.label, layerLabel, language];
  },
  dependsOnDocument: ({ languages = [] }) => languages,
  defaultTimeoutMs: 1_800_000,
  example: { language: 'eng', timeoutMs: 60_000 },
  async run(call) {
    const { deps, run, state, signal } = call;
    const document = await deps.document(run);
    const pageCount = readFacts(state, 'document', DocumentFacts)?.pages ?? document.pages;
    const found = await findLanguage(call, pageCount);
    const { language } = found;
    const modelLabel = `${deps.ocr.label} ${language}`;
    const origin = originOf(call);
    // A page is stored as soon as it is read, so that a later attempt goes on after it. One alone is stored with its result.
    const isAlone = pageCount === 1;
    const kept = isAlone ? [] : await deps.results.readPages(origin, modelLabel);
    const read = new Map(kept.map((page) => [page.index, page]));
    const readAs = canonicalHash({ version, modelLabel, ...wayOf(call) });
    const earlier =
      isAlone || read.size === pageCount || call.cache === false
        ? new Map<number, string>()
        : await deps.results.pagesReadAs(origin, readAs);
    let alone: readonly OcrPage[] = [];
    for (let index = 0; index < pageCount; index += 1) {
      if (read.has(index)) continue;
      signal.throwIfAborted();
      const known = earlier.get(index);
      const page =
        found.pages.find((one) => one.index === index) ??
        (known === undefined ? null : await deps.results.pageReadAs(origin, known)) ??
        (await readPage(call, index, language));
      read.set(index, readPageOf(page));
      const reading = { language, pagesRead: read.size, pages: pageCount };
      if (isAlone) alone = [page];
      else await deps.results.saveOcrPage(origin, { modelLabel, page, reading, readAs });
    }
    const pages = [...read.values()].toSorted((a, b) => a.index - b.index);
    const warnings = readableWarnings(pages);
    const isStated = pages.every(({ source }) => source === 'text-layer');
    const saved = await deps.results.saveOcr(origin, {
      baseAt: run.baseAt,
      modelLabel: isStated ? layerLabel : modelLabel,
      text: pages.map((page) => page.text).join('\f'),
      avgConfidence: averageConfidence(pages),
      result: { engine: isStated ? layerLabel : deps.ocr.label, language, languageFrom: found.from, pages: alone },
      ...(warnings.length > 0 && { warnings }),
      ...(isAlone ? {} : { pagesApart: true }),
    });
    const { ocrResultId, avgConfidence, modelLabel: label } = saved;
    const characters = saved.text.length;
    return { update: { ocr: { ocrResultId, characters, avgConfidence, modelLabel: label } }, modelLabel: label };
  },
});

/**
 * Warnings of the pages. Throws `image.undecodable` if something could not be decoded and nothing was read: the document is not blank. A
 * picture without text is no error.
 */
function readableWarnings(pages: readonly ReadPage[]): ReturnType<typeof warningsOf> {
  const warnings = warningsOf(pages);
  const [first] = presentWarnings(warnings.filter(({ code }) => code !== 'text_not_found').slice(0, 1));
  if (first === undefined || pages.some(({ text }) => text.trim() !== '')) return warnings;
  throw new AppError('image.undecodable', `No text could be read. Page ${first.page + 1}: ${first.detail}`);
}
