import { linesIn, longestSentence, sentencesIn } from '#src/domain/chat/sentences.ts';
import { placedLines, type PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';
import type { OcrLine } from '#src/domain/ports/ocr-engine.ts';
import { union, type Box } from '#src/domain/segment-locally/geometry.ts';
import type { DescriptionText, OcrText, SegmentationText } from '#src/domain/chat/stored-texts.ts';

/** A passage of stored text: `whole.slice(start, end)`. */
export interface Passage extends Span {
  readonly documentId: string;
  readonly field: 'ocr' | 'description' | 'segmentation';
  readonly resultId: string;
  /** The whole stored text. */
  readonly whole: string;
  /** Sentences, and lines that are none, of the passage. */
  readonly sentences: readonly Span[];
  readonly page?: number;
  readonly bbox?: Box;
  /** Boxes of its lines, in order. */
  readonly boxes?: readonly Box[];
}

/** Target length of a passage in characters, about a paragraph. Source: docs/decisions/0041. */
const usualLength = longestSentence;
/** Characters to read of one text, which bounds the work for long documents. */
export const mostCharacters = 300_000;

interface Group extends Span {
  readonly sentences: readonly Span[];
}

/** Groups sentences, and lines that are none, into passages. */
function grouped(sentences: Iterable<Span>): Group[] {
  const groups: { start: number; end: number; sentences: Span[] }[] = [];
  let group: (typeof groups)[number] | undefined;
  for (const sentence of sentences) {
    if (group !== undefined && sentence.end - group.start <= usualLength) {
      group.end = sentence.end;
      group.sentences.push(sentence);
    } else {
      group = { ...sentence, sentences: [sentence] };
      groups.push(group);
    }
  }
  return groups;
}

/** End of the first `most` characters of a text, not within a surrogate pair. */
function cutAt(text: string, most: number): number {
  if (text.length <= most) return text.length;
  return /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
}

/** Passages of the first `most` characters of recognized text, with page and bounding box. */
export function ocrPassages({ documentId, ocrResultId, text, pages }: OcrText, most = mostCharacters): Passage[] {
  const lines = pages.map((page) => ({ lines: page.lines as readonly OcrLine[] }));
  const placed = placedLines({ text, pages: lines });
  const passages: Passage[] = [];
  const readEnd = cutAt(text, most);
  let pageStart = 0;
  for (const [page, pageText] of text.split('\f').entries()) {
    const onPage = placed[page] ?? [];
    let next = 0;
    const pageEnd = pageStart + pageText.length;
    for (const span of grouped(sentencesIn(text, pageStart, Math.min(pageEnd, readEnd)))) {
      while ((onPage[next]?.end ?? Infinity) <= span.start) next += 1;
      const boxes = boxesOf(onPage, next, span);
      passages.push({
        documentId,
        field: 'ocr',
        resultId: ocrResultId,
        whole: text,
        ...span,
        page,
        ...(boxes.length > 0 && { bbox: union(boxes), boxes }),
      });
    }
    pageStart = pageEnd + 1;
    if (pageStart >= readEnd) break;
  }
  return passages;
}

function boxesOf(lines: readonly PlacedLine[], from: number, span: Span): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined || line.start >= span.end) break;
    boxes.push(line.line.box);
  }
  return boxes;
}

export function descriptionPassages({ documentId, descriptionId, description }: DescriptionText): Passage[] {
  return grouped(sentencesIn(description, 0, cutAt(description, mostCharacters))).map((span) => ({
    documentId,
    field: 'description',
    resultId: descriptionId,
    whole: description,
    ...span,
  }));
}

interface SegmentLine extends Span {
  readonly box: Box | null;
}

/** Searchable text of segments: the prompt, then each distinct label and text, one per line. */
export function segmentationText({ prompt, segments }: Pick<SegmentationText, 'prompt' | 'segments'>): {
  readonly text: string;
  readonly lines: readonly SegmentLine[];
} {
  const boxes = new Map<string, Box | null>();
  if (prompt !== '') boxes.set(prompt, null);
  for (const { label, text = '', box } of segments)
    for (const line of [label, text]) if (line !== '' && !boxes.has(line)) boxes.set(line, box);
  let start = 0;
  const lines = [...boxes].map(([line, box]) => {
    const placed = { start, end: start + line.length, box };
    start = placed.end + 1;
    return placed;
  });
  return { text: [...boxes.keys()].join('\n'), lines };
}

export function segmentationPassages(segmentation: SegmentationText): Passage[] {
  const { documentId, segmentationId, page, segments } = segmentation;
  if (segments.length === 0) return [];
  const { text, lines } = segmentationText(segmentation);
  return grouped(linesIn(text, 0, cutAt(text, mostCharacters))).map((span) => {
    const boxes = lines.flatMap(({ start, end, box }) =>
      box !== null && start < span.end && end > span.start ? [box] : [],
    );
    return {
      documentId,
      field: 'segmentation',
      resultId: segmentationId,
      whole: text,
      ...span,
      page,
      ...(boxes.length > 0 && { bbox: union(boxes) }),
    };
  });
}
