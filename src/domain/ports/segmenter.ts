import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { PageTurn } from '#src/domain/ports/page-turn.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';

/** One region. All coordinates are fractions 0..1 of the upright page. */
export interface Segment {
  readonly label: string;
  /** 0..1. */
  readonly score: number;
  /** [x, y, width, height]. */
  readonly box: readonly [number, number, number, number];
  /** Corner points [x, y], clockwise; at least three. */
  readonly polygon: readonly (readonly [number, number])[];
  /** Run lengths over the rows of a mask of `width` x `height`, beginning with background. */
  readonly mask?: { readonly width: number; readonly height: number; readonly runs: readonly number[] };
  readonly text?: string;
}

export interface SegmentRequest extends PageTurn {
  readonly page: PageImage;
  /** Layout of this page, if text was recognized. */
  readonly ocr: OcrPage | null;
  readonly prompt: string;
  readonly maxSegments: number;
}

export interface Segmentation {
  readonly segments: readonly Segment[];
  /** True when the engine cannot look for this prompt: `segments` is empty then. */
  readonly unsupportedPrompt: boolean;
}

/**
 * Finds regions by a prompt. Errors: `segmentation.failed`, `outbound.refused`. Source: docs/decisions/0032.
 */
export interface Segmenter {
  /** `local/layout-1`, or `http/<model>`. */
  readonly label: string;
  segment(request: SegmentRequest): Promise<Segmentation>;
}

export interface Segmenters {
  readonly local: Segmenter;
  /** null when none is configured. */
  readonly remote: Segmenter | null;
}
