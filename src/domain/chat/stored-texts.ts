import type { Box } from '#src/domain/segment-locally/geometry.ts';

export interface OcrText {
  readonly documentId: string;
  readonly ocrResultId: string;
  /** Pages joined by a form feed. */
  readonly text: string;
  readonly pages: readonly { readonly lines: readonly { readonly text: string; readonly box: Box }[] }[];
}

export interface DescriptionText {
  readonly documentId: string;
  readonly descriptionId: string;
  readonly title: string;
  readonly description: string;
}

export interface SegmentationText {
  readonly documentId: string;
  readonly segmentationId: string;
  readonly prompt: string;
  /** Index of the page. */
  readonly page: number;
  readonly segments: readonly { readonly label: string; readonly text?: string; readonly box: Box }[];
}

/** Stored texts of documents that an answer can cite. */
export interface StoredTexts {
  readonly ocr: readonly OcrText[];
  readonly descriptions: readonly DescriptionText[];
  /** Newest first. */
  readonly segmentations: readonly SegmentationText[];
}
