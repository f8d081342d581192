import type { OcrLine, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { union } from '#src/domain/segment-locally/geometry.ts';
import type { Evidence } from '#src/domain/extract-locally/field.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';

/** Recognized text with its pages joined by a form feed. */
export interface PagedText {
  readonly text: string;
  readonly pages: readonly Pick<OcrPage, 'lines'>[];
}

/** A line and its range in the whole text. */
export interface PlacedLine extends Span {
  readonly line: OcrLine;
}

/** Lines of each page, without lines that a cut text no longer contains. */
export function placedLines({ text, pages }: PagedText): PlacedLine[][] {
  let pageStart = 0;
  return text.split('\f').map((pageText, index) => {
    let from = 0;
    const lines = (pages[index]?.lines ?? []).flatMap((line) => {
      const at = line.text === '' ? -1 : pageText.indexOf(line.text, from);
      if (at === -1) return [];
      from = at + line.text.length;
      return [{ line, start: pageStart + at, end: pageStart + from }];
    });
    pageStart += pageText.length + 1;
    return lines;
  });
}

/** Evidence of a span: literal text, page and bounding box of its words. */
export function evidenceAt({ text }: PagedText, lines: readonly (readonly PlacedLine[])[], span: Span): Evidence {
  const page = text.slice(0, span.start).split('\f').length - 1;
  const boxes = (lines[page] ?? [])
    .filter((line) => line.start < span.end && line.end > span.start)
    .flatMap((line) => wordBoxes(line, span));
  const { start, end } = span;
  return { text: text.slice(start, end), start, end, page, box: boxes.length === 0 ? null : union(boxes) };
}

/** Mean word confidence of a span, 0..1; 1 if unknown. */
export function readingConfidence(lines: readonly (readonly PlacedLine[])[], span: Span): number {
  const touched = lines.flat().filter((line) => line.start < span.end && line.end > span.start);
  const words = touched.flatMap((line) => wordsIn(line, span).map(({ confidence }) => confidence));
  return words.length === 0 ? 1 : words.reduce((sum, value) => sum + value, 0) / words.length / 100;
}

function wordBoxes(line: PlacedLine, span: Span) {
  const words = wordsIn(line, span);
  return words.length === 0 ? [line.line.box] : words.map(({ box }) => box);
}

function wordsIn({ line, start }: PlacedLine, span: Span) {
  let from = 0;
  return line.words.filter((word) => {
    const at = line.text.indexOf(word.text, from);
    if (at === -1) return false;
    from = at + word.text.length;
    return start + at < span.end && start + from > span.start;
  });
}
