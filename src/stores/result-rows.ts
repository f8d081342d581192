import type { Binary } from 'mongodb';
import type { ModelUsage } from '#src/domain/ports/models.ts';
import type { DescriptionResult, OcrResult, ResultOrigin, SegmentationResult } from '#src/domain/documents/results.ts';

/** `_id` derives from run, node and key, so the unique index stores each result exactly once. */
interface Row extends ResultOrigin {
  readonly _id: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
}

export interface OcrRow extends Row, Pick<OcrResult, 'text' | 'avgConfidence' | 'result'> {}

export interface DescriptionRow extends Row, Pick<DescriptionResult, 'value'> {
  readonly usage: ModelUsage;
}

export interface SegmentationRow
  extends Row, Pick<SegmentationResult, 'prompt' | 'page' | 'segments' | 'unsupportedPrompt' | 'derivedDocumentId'> {}

export interface EmbeddingRow extends Row {
  readonly kind: 'text' | 'image';
  /** BSON float32 vector. */
  readonly vector: Binary;
  readonly blockHash?: string;
}
