import type { Binary } from 'mongodb';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';
import type {
  Correction,
  DescriptionResult,
  OcrResult,
  ResultOrigin,
  SegmentationResult,
} from '#src/domain/documents/results.ts';

/** `_id` derives from run, node and key, so the unique index stores each result exactly once. */
interface Row extends ResultOrigin {
  readonly _id: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
}

export interface OcrRow extends Row, Pick<OcrResult, 'text' | 'avgConfidence' | 'result' | 'warnings' | 'correction'> {
  /** The pages are rows of their own, and `result.pages` is empty: all words of a long document exceed the 16 MiB of one row. */
  readonly pagesApart?: true;
}

/** One page of a result. `_id` is that of the result, a slash and the page's index. */
export interface OcrPageRow extends Row {
  readonly ocrResultId: string;
  readonly page: OcrPage;
  /** Characters of its words: the weight of its confidence. */
  readonly wordCharacters: number;
  /** Digest of all that decides the words of a page of this document. Absent: another run reads the page itself. */
  readonly readAs?: string;
}

export interface DescriptionRow extends Row, Pick<DescriptionResult, 'value'> {
  readonly usage: ModelUsage;
  /** Absent in descriptions of runs. */
  readonly correction?: Correction;
}

export interface SegmentationRow
  extends Row, Pick<SegmentationResult, 'prompt' | 'page' | 'segments' | 'unsupportedPrompt' | 'derivedDocumentId'> {}

export interface EmbeddingRow extends Row {
  readonly kind: 'text' | 'image';
  /** BSON float32 vector. */
  readonly vector: Binary;
  readonly blockHash?: string;
}
