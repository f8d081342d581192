import type { ReadingWarning, ReadPage } from '#src/domain/documents/results.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

/** A page without its lines and words. */
export function readPageOf({ index, text, confidence, lines, losses, source }: OcrPage): ReadPage {
  const words = lines.flatMap((line) => line.words);
  const wordCharacters = words.reduce((sum, word) => sum + word.text.length, 0);
  return {
    index,
    text,
    confidence,
    wordCharacters,
    ...(losses !== undefined && { losses }),
    ...(source !== undefined && { source }),
  };
}

/** Parts of the pages that could not be read, in their order. */
export function warningsOf(pages: readonly ReadPage[]): ReadingWarning[] {
  return pages.flatMap(({ index, losses = [] }) => losses.map((code) => ({ page: index, code })));
}

/** Mean word confidence, 0..100, weighted by word length; 0 without words. */
export function averageConfidence(pages: readonly ReadPage[]): number {
  const characters = pages.reduce((sum, { wordCharacters }) => sum + wordCharacters, 0);
  const weighted = pages.reduce((sum, { confidence, wordCharacters }) => sum + confidence * wordCharacters, 0);
  return characters === 0 ? 0 : weighted / characters;
}
