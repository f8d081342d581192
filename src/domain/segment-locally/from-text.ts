import type { OcrLine, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { Segment, Segmentation } from '#src/domain/ports/segmenter.ts';
import { findPhrase } from '#src/domain/segment-locally/fuzzy.ts';
import { boxSegment, shared, union, wordsOf, type Box } from '#src/domain/segment-locally/geometry.ts';
import type { Wanted } from '#src/domain/segment-locally/read-prompt.ts';
import { findTyped, valueOfLabel } from '#src/domain/segment-locally/values.ts';

/**
 * Finds segments in recognized text; null for prompts about the picture (`foreground`, `page`). Free text that the page lacks gives
 * `unsupportedPrompt`, since it can name an object in the picture; quoted text gives no segments.
 */
export function segmentText(wanted: Wanted, page: OcrPage): Segmentation | null {
  const { lines } = page;
  if (wanted.kind === 'layout') {
    const found = layout(wanted.what, lines);
    return found && answer(found, page);
  }
  if (wanted.kind === 'typed')
    return answer(
      lines.flatMap((line) =>
        findTyped(line.text, wanted.type).map(({ start, end, text }) =>
          boxSegment(boxOfSpan(line, start, end), { label: wanted.type, score: line.confidence / 100, text }),
        ),
      ),
      page,
    );
  if (wanted.kind === 'label') {
    const value = valueOfLabel(lines, wanted.label);
    if (value === null) return answer([], page);
    return answer([boxSegment(value.box, { label: wanted.label, score: value.score, text: value.text })], page);
  }
  const found = matches(wanted.text, lines);
  return { ...answer(found, page), unsupportedPrompt: found.length === 0 && !wanted.quoted };
}

function answer(segments: readonly Segment[], { rotation }: OcrPage): Segmentation {
  return { segments: segments.map((segment) => turnBack(segment, rotation)), unsupportedPrompt: false };
}

/** Rotates a segment back to the uploaded page, which recognition may have turned. */
function turnBack(segment: Segment, rotation: OcrPage['rotation']): Segment {
  const [x, y, width, height] = segment.box;
  if (rotation === 0) return segment;
  const back: Record<90 | 180 | 270, Box> = {
    90: [y, 1 - x - width, height, width],
    180: [1 - x - width, 1 - y - height, width, height],
    270: [1 - y - height, x, height, width],
  };
  const { label, score, text } = segment;
  return boxSegment(back[rotation], { label, score, ...(text !== undefined && { text }) });
}

function layout(what: string, lines: readonly OcrLine[]): Segment[] | null {
  if (what === 'words')
    return lines.flatMap((line) =>
      wordsOf(line).map(({ box, text, confidence }) =>
        boxSegment(box, { label: 'word', score: confidence / 100, text }),
      ),
    );
  if (what === 'lines') return lines.map((line) => regionOf([line], 'line'));
  if (what === 'blocks') return paragraphs(lines).map((paragraph) => regionOf(paragraph, 'block'));
  if (what === 'text') return lines.length === 0 ? [] : [regionOf(lines, 'text')];
  return null;
}

function regionOf(lines: readonly OcrLine[], label: string): Segment {
  const score = lines.reduce((sum, line) => sum + line.confidence, 0) / lines.length / 100;
  const text = lines.map((line) => line.text).join('\n');
  return boxSegment(union(lines.map(({ box }) => box)), { label, score, text });
}

/** Groups lines into paragraphs, by gaps of less than a line. */
function paragraphs(lines: readonly OcrLine[]): OcrLine[][] {
  const groups: OcrLine[][] = [];
  for (const line of lines) {
    const above = groups.find((group) => {
      const last = group.at(-1);
      if (last === undefined) return false;
      const gap = line.box[1] - (last.box[1] + last.box[3]);
      const height = Math.min(line.box[3], last.box[3]);
      const overlap = shared(line.box[0], line.box[2], last.box[0], last.box[2]);
      return gap > -height && gap < 0.9 * height && overlap > 0.3 * Math.min(line.box[2], last.box[2]);
    });
    if (above === undefined) groups.push([line]);
    else above.push(line);
  }
  return groups;
}

/** Bounding box of the words in the range `start` to `end` of the line's text. */
function boxOfSpan(line: OcrLine, start: number, end: number): Box {
  let at = 0;
  const boxes: Box[] = [];
  for (const { text, box } of wordsOf(line)) {
    const found = line.text.indexOf(text, at);
    if (found < 0) continue;
    at = found + text.length;
    if (found < end && at > start) boxes.push(box);
  }
  return boxes.length === 0 ? line.box : union(boxes);
}

/** Finds a phrase in one line, otherwise across the lines of a paragraph. */
function matches(phrase: string, lines: readonly OcrLine[]): Segment[] {
  const search = (group: readonly OcrLine[]): Segment[] => {
    const words = group.flatMap(wordsOf);
    return findPhrase(
      words.map(({ text }) => text),
      phrase,
    ).map(({ from, to, score }) => {
      const found = words.slice(from, to);
      const text = found.map((word) => word.text).join(' ');
      return boxSegment(union(found.map(({ box }) => box)), { label: phrase, score, text });
    });
  };
  const inLines = lines.flatMap((line) => search([line]));
  return inLines.length > 0 ? inLines : paragraphs(lines).flatMap(search);
}
