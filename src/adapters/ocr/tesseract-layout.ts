import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';

interface Bounds {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

interface TesseractWord {
  readonly text: string;
  readonly confidence: number;
  readonly bbox: Bounds;
}

interface TesseractLine {
  readonly words: readonly TesseractWord[] | null;
  readonly bbox: Bounds;
}

interface TesseractParagraph {
  readonly lines: readonly TesseractLine[] | null;
}

/** Shape of `output.blocks` of tesseract.js. An image is a block without paragraphs. */
export interface TesseractBlock {
  readonly paragraphs: readonly TesseractParagraph[] | null;
}

/** Size of the recognized image in pixels. `border` pixels on each side are no part of the page. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly border: number;
}

export interface Layout {
  readonly lines: readonly OcrLine[];
  /** The same lines by paragraph. */
  readonly paragraphs: readonly (readonly OcrLine[])[];
  /** Lines in reading order; an empty line between paragraphs. */
  readonly text: string;
  /** Mean word confidence weighted by length, 0..100; 0 without words. */
  readonly confidence: number;
  readonly words: number;
  /** Characters of all words, without spaces. */
  readonly characters: number;
}

export function readLayout(blocks: readonly TesseractBlock[], frame: Frame): Layout {
  const paragraphs = blocks
    .flatMap((block) => block.paragraphs ?? [])
    .map((paragraph) => (paragraph.lines ?? []).map((line) => readLine(line, frame)).filter((line) => line !== null))
    .filter((lines) => lines.length > 0);
  return layoutOf(paragraphs);
}

export function layoutOf(paragraphs: readonly (readonly OcrLine[])[]): Layout {
  const lines = paragraphs.flat();
  const words = lines.flatMap((line) => line.words);
  return {
    lines,
    paragraphs,
    text: paragraphs.map((paragraph) => paragraph.map((line) => line.text).join('\n')).join('\n\n'),
    confidence: meanConfidence(words),
    words: words.length,
    characters: words.reduce((sum, word) => sum + word.text.length, 0),
  };
}

/** The used part of an answer of `recognize` of tesseract.js. */
export interface TesseractAnswer {
  readonly blocks: readonly TesseractBlock[] | null;
  /** Filled by a request for the layout alone. */
  readonly layoutBlocks: readonly TesseractBlock[] | null;
}

/** Leaves out of an answer with blocks or a table everything but these fields; other answers stay as they are. */
export function trimAnswer(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('blocks' in data)) return data;
  const { blocks, layoutBlocks, tsv } = data as TesseractAnswer & { readonly tsv?: string | null };
  const read = typeof tsv === 'string' ? blocksOfTable(tsv) : blocks && trimBlocks(blocks);
  return { blocks: read, layoutBlocks: layoutBlocks && trimBlocks(layoutBlocks) };
}

/** Levels of the rows of Tesseract's table. */
const rowLevels = { block: 2, paragraph: 3, line: 4, word: 5 } as const;

/**
 * Blocks from the table that Tesseract writes instead of JSON, which lists every letter with its choices and takes a fiftieth of the time
 * of a recognition.
 */
function blocksOfTable(tsv: string): TesseractBlock[] {
  const blocks: { paragraphs: { lines: { words: TesseractWord[]; bbox: Bounds }[] }[] }[] = [];
  for (const row of tsv.split('\n')) {
    const cells = row.split('\t');
    const [level = 0, , , , , , x0 = 0, y0 = 0, width = 0, height = 0, confidence = 0] = cells.slice(0, 11).map(Number);
    const bbox = { x0, y0, x1: x0 + width, y1: y0 + height };
    if (level === rowLevels.block) blocks.push({ paragraphs: [] });
    if (level === rowLevels.paragraph) blocks.at(-1)?.paragraphs.push({ lines: [] });
    if (level === rowLevels.line) blocks.at(-1)?.paragraphs.at(-1)?.lines.push({ words: [], bbox });
    if (level === rowLevels.word)
      blocks
        .at(-1)
        ?.paragraphs.at(-1)
        ?.lines.at(-1)
        ?.words.push({ text: cells[11] ?? '', confidence, bbox });
  }
  return blocks;
}

function trimBlocks(blocks: readonly TesseractBlock[]): TesseractBlock[] {
  const trimWord = ({ text, confidence, bbox }: TesseractWord): TesseractWord => ({ text, confidence, bbox });
  const trimLine = ({ words, bbox }: TesseractLine): TesseractLine => ({ words: words && words.map(trimWord), bbox });
  return blocks.map(({ paragraphs }) => ({
    paragraphs: paragraphs && paragraphs.map(({ lines }) => ({ lines: lines && lines.map(trimLine) })),
  }));
}

/** Words of a layout, which have no text yet. */
export function countWords(blocks: readonly TesseractBlock[]): number {
  const lines = blocks.flatMap((block) => block.paragraphs ?? []).flatMap((paragraph) => paragraph.lines ?? []);
  return lines.reduce((sum, line) => sum + (line.words ?? []).length, 0);
}

function readLine(line: TesseractLine, frame: Frame): OcrLine | null {
  const words = (line.words ?? []).map((word) => readWord(word, frame)).filter((word) => word.text !== '');
  if (words.length === 0) return null;
  return {
    text: words.map((word) => word.text).join(' '),
    confidence: meanConfidence(words),
    box: readBox(line.bbox, frame),
    words,
  };
}

function readWord(word: TesseractWord, frame: Frame): OcrWord {
  return { text: word.text.trim(), confidence: word.confidence, box: readBox(word.bbox, frame) };
}

function meanConfidence(words: readonly OcrWord[]): number {
  const characters = words.reduce((sum, word) => sum + word.text.length, 0);
  if (characters === 0) return 0;
  return words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / characters;
}

function readBox({ x0, y0, x1, y1 }: Bounds, frame: Frame): OcrWord['box'] {
  const left = fraction(x0 - frame.border, frame.width - 2 * frame.border);
  const top = fraction(y0 - frame.border, frame.height - 2 * frame.border);
  const right = fraction(x1 - frame.border, frame.width - 2 * frame.border);
  const bottom = fraction(y1 - frame.border, frame.height - 2 * frame.border);
  return [left, top, right - left, bottom - top];
}

/** Clips boxes of text at the edge, which may reach into the border. */
function fraction(pixels: number, side: number): number {
  return Math.min(1, Math.max(0, pixels / side));
}
