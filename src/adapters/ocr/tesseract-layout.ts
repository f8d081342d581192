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
  const lines = paragraphs.flat();
  const words = lines.flatMap((line) => line.words);
  return {
    lines,
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

/** Leaves out of an answer with blocks everything but these fields; other answers stay as they are. */
export function trimAnswer(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('blocks' in data)) return data;
  const { blocks, layoutBlocks } = data as TesseractAnswer;
  return { blocks: blocks && trimBlocks(blocks), layoutBlocks: layoutBlocks && trimBlocks(layoutBlocks) };
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
