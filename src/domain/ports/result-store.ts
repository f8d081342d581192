import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { Segment } from '#src/domain/ports/segmenter.ts';
import type { DocumentDescription, ModelUsage } from '#src/domain/ports/models.ts';

/** Who made a result. `(runId, nodeId, key)` is unique: a node that runs again after a crash finds its first result. */
export interface ResultOrigin {
  readonly organizationId: string;
  readonly projectId: string;
  readonly documentId: string;
  readonly runId: string;
  /** Path of the node in the run: `NodeCall.path`. */
  readonly nodeId: string;
}

/** The `result` payload of an OCR result; text of a page is what its lines say, joined by `\n`. */
export interface OcrPayload {
  readonly engine: string;
  readonly language: string;
  readonly pages: readonly OcrPage[];
}

export interface OcrResult {
  readonly ocrResultId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  /** Pages joined by a form feed. */
  readonly text: string;
  /** 0..100, words weighted by length over all pages. */
  readonly avgConfidence: number;
  readonly result: OcrPayload;
}

export interface DescriptionResult {
  readonly descriptionId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  readonly value: DocumentDescription;
}

export interface EmbeddingResult {
  readonly embeddingId: string;
  readonly kind: 'text' | 'image';
  readonly modelLabel: string;
  readonly vector: Float32Array;
  readonly blockHash?: string;
}

export interface SegmentationResult {
  readonly segmentationId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  readonly prompt: string;
  /** Index of the page the coordinates are fractions of. */
  readonly page: number;
  readonly segments: readonly Segment[];
  readonly unsupportedPrompt: boolean;
  /** The picture made from the segments, a document of its own. */
  readonly derivedDocumentId: string | null;
}

/** A result and the run that made it. */
export type MadeBy<Result> = Result & { readonly runId: string };

/**
 * Rows that runs make, exactly once each. `save*` answers the stored row: the new one, or the one an earlier attempt of the same
 * node left. Saving also updates the latest summary on the document. Every read is by organization.
 */
export interface ResultStore {
  saveOcr(origin: ResultOrigin, result: Omit<OcrResult, 'ocrResultId' | 'createdAt'>): Promise<OcrResult>;
  latestOcr(organizationId: string, documentId: string): Promise<OcrResult | null>;
  /** Newest first; with the run that made each. */
  listOcr(organizationId: string, documentId: string, limit: number): Promise<readonly MadeBy<OcrResult>[]>;
  ocrById(organizationId: string, ocrResultId: string): Promise<OcrResult | null>;
  saveDescription(
    origin: ResultOrigin,
    result: { modelLabel: string; value: DocumentDescription; usage: ModelUsage },
  ): Promise<DescriptionResult>;
  descriptionById(organizationId: string, descriptionId: string): Promise<DescriptionResult | null>;
  saveEmbedding(origin: ResultOrigin, result: Omit<EmbeddingResult, 'embeddingId'>): Promise<EmbeddingResult>;
  saveSegmentation(
    origin: ResultOrigin,
    result: Omit<SegmentationResult, 'segmentationId' | 'createdAt'>,
  ): Promise<SegmentationResult>;
  /** Newest first; with the run that made each. */
  listSegmentations(
    organizationId: string,
    documentId: string,
    limit: number,
  ): Promise<readonly MadeBy<SegmentationResult>[]>;
  /** Everything of a document. */
  deleteOf(organizationId: string, documentId: string): Promise<void>;
  /** The id that `saveSegmentation` gives for this origin: for what is made before, and names it. */
  segmentationIdOf(origin: ResultOrigin): string;
  segmentationById(organizationId: string, segmentationId: string): Promise<SegmentationResult | null>;
  embeddingById(organizationId: string, embeddingId: string): Promise<EmbeddingResult | null>;
}
