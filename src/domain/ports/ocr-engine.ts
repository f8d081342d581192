import type { PageWarningCode } from '#src/contracts/page-warnings.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { PageTurn } from '#src/domain/ports/page-turn.ts';

/** `box` is [x, y, width, height] as fractions 0..1 of the page; `confidence` is 0..100. */
export interface OcrWord {
  readonly text: string;
  readonly confidence: number;
  readonly box: readonly [number, number, number, number];
}

export interface OcrLine {
  readonly text: string;
  readonly confidence: number;
  readonly box: readonly [number, number, number, number];
  readonly words: readonly OcrWord[];
}

/** One recognition of one page: parameters and outcome. */
export interface OcrAttempt {
  readonly pageSegmentationMode: number;
  /** Degrees clockwise that the page was turned by before recognition. */
  readonly rotation: 0 | 90 | 180 | 270;
  /** Pixels. 640 is a probe: a part of the page, read only to find its orientation. */
  readonly longestSide: number;
  readonly localThreshold?: true;
  readonly confidence: number;
  readonly characters: number;
  readonly ms: number;
  readonly chosen: boolean;
}

export interface OcrPage {
  readonly index: number;
  /** Pixels of the page the boxes are fractions of (after `rotation`). */
  readonly width: number;
  readonly height: number;
  readonly rotation: 0 | 90 | 180 | 270;
  readonly text: string;
  /** Mean word confidence weighted by word length, 0..100; 0 without words. */
  readonly confidence: number;
  readonly lines: readonly OcrLine[];
  /** None for a blank page. */
  readonly attempts: readonly OcrAttempt[];
  readonly warnings: readonly string[];
  /** Parts of the page that could not be read; absent if there are none. */
  readonly losses?: readonly PageWarningCode[];
  /** Absent in pages of older versions, which were recognized. */
  readonly source?: 'text-layer' | 'ocr';
}

export interface OcrOptions extends PageTurn {
  /** Tesseract language codes joined by `+`; absent: the engine's own `language`. */
  readonly language?: string;
  /** 3 = automatic layout, 6 = one block, ... Only if absent, the engine tries the sequence of docs/decisions/0110. */
  readonly pageSegmentationMode?: number;
  /** Computing time. Real time is limited to ten times as much. */
  readonly timeoutMs: number;
}

/**
 * Text recognition of one page. Errors: `ocr.timeout`, `ocr.failed`, `image.undecodable`; an aborted `signal` rejects with its
 * reason within 1 s and stops the work. Source: docs/decisions/0020.
 */
export interface OcrEngine {
  /** Stored with every result, beside the language, e.g. `tesseract.js/7.0.0 4.0.0_best_int ladder-4`. A change means that results may differ. */
  readonly label: string;
  /** Languages that it has data of now. */
  installed(): readonly string[];
  /** Language of the last page, whose model is loaded; null before the first page. */
  recent(): string | null;
  /** Language for requests that name none; `auto`: callers find out the language of each document. */
  readonly language: string;
  recognize(page: PageImage, options: OcrOptions): Promise<OcrPage>;
  close(): Promise<void>;
}
