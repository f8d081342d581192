import type { OcrLine, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { union, type Box } from '#src/domain/segment-locally/geometry.ts';
import type { Evidence } from '#src/domain/extract-locally/field.ts';
import { firstAtLeast, type Span } from '#src/domain/extract-locally/locate-quote.ts';

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

/** A text with its lines, and what is known of its spans. */
export interface PlacedText {
  readonly text: string;
  readonly lines: readonly (readonly PlacedLine[])[];
  /** Evidence of a span: literal text, page and bounding box of its words. */
  evidenceAt(span: Span): Evidence;
  /** Boxes of a span, one for each line that it touches, as tight as its words there. */
  boxesAt(span: Span): readonly Box[];
  /** Mean word confidence of a span, 0..1; 1 if unknown. */
  readingConfidence(span: Span): number;
}

/** Places the lines of a text once; each span then costs its own lines only. */
export function placeText(document: PagedText): PlacedText {
  const { text } = document;
  const lines = placedLines(document);
  const flat = lines.flat();
  const lineEnds = flat.map(({ end }) => end);
  const breaks: number[] = [];
  for (let at = text.indexOf('\f'); at !== -1; at = text.indexOf('\f', at + 1)) breaks.push(at);
  const touched = ({ start, end }: Span): PlacedLine[] => {
    const found: PlacedLine[] = [];
    for (let at = firstAtLeast(lineEnds, start + 1); at < flat.length; at += 1) {
      const line = flat[at];
      if (line === undefined || line.start >= end) break;
      found.push(line);
    }
    return found;
  };
  return {
    text,
    lines,
    evidenceAt(span) {
      const { start, end } = span;
      const boxes = touched(span).flatMap((line) => wordBoxes(line, span));
      const box = boxes.length === 0 ? null : union(boxes);
      return { text: text.slice(start, end), start, end, page: firstAtLeast(breaks, start), box };
    },
    boxesAt: (span) => touched(span).map((line) => union(wordBoxes(line, span))),
    readingConfidence(span) {
      const words = touched(span).flatMap((line) => wordsIn(line, span).map(({ confidence }) => confidence));
      return words.length === 0 ? 1 : words.reduce((sum, value) => sum + value, 0) / words.length / 100;
    },
  };
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
