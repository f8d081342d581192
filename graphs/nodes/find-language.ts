import { readPage, type ReadCall } from '#graphs/nodes/read-page.ts';
import type { LanguageSource } from '#src/contracts/resources/results.ts';
import { anyLanguage, chosenLanguage, detectable } from '#src/domain/documents/languages/choose.ts';
import { detectLanguage, togetherWhenUnclear } from '#src/domain/documents/languages/detect.ts';
import { tellingWords } from '#src/domain/documents/languages/telling-words.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

export interface FoundLanguage {
  /** Codes joined by `+`. */
  readonly language: string;
  readonly from: LanguageSource;
  /** Pages that were read on the way and are as this language reads them. */
  readonly pages: readonly OcrPage[];
}

/** Pages of a document that are looked at: a cover can be a picture. */
const mostPages = 3;

/** Languages of the run's document, as named or as found in its text. Source: docs/decisions/0214, 0215. */
export async function findLanguage(call: ReadCall, pageCount: number): Promise<FoundLanguage> {
  const { deps, run, params } = call;
  const { languages } = await deps.document(run);
  const { language, from } = chosenLanguage({
    document: languages,
    node: params.language,
    nodeFirst: params.overridesDocument,
    standard: deps.ocr.language,
  });
  return language === anyLanguage ? detected(call, pageCount) : { language, from, pages: [] };
}

/** Reads the first pages in one language, and tells by the words whose text it is. Most documents are read once in the end. */
async function detected(call: ReadCall, pageCount: number): Promise<FoundLanguage> {
  const candidates = detectable(call.deps.ocr.installed());
  const [first = 'eng', ...others] = candidates;
  if (others.length === 0) return { language: first, from: 'installation', pages: [] };
  const look = firstLook(call.deps.ocr.recent(), candidates);
  const read: OcrPage[] = [];
  const stated = (): OcrPage[] => read.filter(({ source }) => source === 'text-layer');
  for (let index = 0; index < Math.min(pageCount, mostPages); index += 1) {
    call.signal.throwIfAborted();
    read.push(await readPage(call, index, look));
    const language = detectLanguage(textOf(read), candidates);
    if (language !== null) return { language, from: 'detected', pages: language === look ? read : stated() };
  }
  // Another language finds no words where one finds nothing at all.
  if (textOf(read).trim() === '') return { language: look, from: 'undecided', pages: read };
  const together = togetherWhenUnclear(textOf(read), candidates);
  return { language: together.join('+'), from: 'undecided', pages: stated() };
}

/** Language of the first look: that of the last page, since documents come in rows and loading a model costs as much as a receipt. */
function firstLook(recent: string | null, candidates: readonly string[]): string {
  const isTelling = recent !== null && candidates.includes(recent) && tellingWords(recent) !== null;
  return isTelling ? recent : (candidates[0] ?? 'eng');
}

const textOf = (pages: readonly OcrPage[]): string => pages.map(({ text }) => text).join('\n');
