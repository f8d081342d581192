import type { LanguageSource } from '#src/contracts/resources/results.ts';
import type { PageWarningCode } from '#src/contracts/page-warnings.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { DocumentDescription } from '#src/domain/ports/models.ts';
import type { Segment } from '#src/domain/ports/segmenter.ts';

/** Origin of a result. `(runId, nodeId, key)` is unique: a node repeated after a crash finds its first result. */
export interface ResultOrigin {
  readonly organizationId: string;
  readonly projectId: string;
  readonly documentId: string;
  readonly runId: string;
  /** Path of the node in the run: `NodeCall.path`. */
  readonly nodeId: string;
  /** true: an experiment made it; no document shows it. */
  readonly isolated?: true;
}

/** A result that people correct. Corrections since `baseAt` stay current; absent: the result becomes the current one. */
export interface Correctable {
  readonly baseAt?: Date | undefined;
}

/** The `result` payload of an OCR result; text of a page is what its lines say, joined by `\n`. */
export interface OcrPayload {
  readonly engine: string;
  readonly language: string;
  /** Absent in results of older versions. */
  readonly languageFrom?: LanguageSource;
  readonly pages: readonly OcrPage[];
}

/** A version of a result that a person or an agent made from another one. */
export interface Correction {
  readonly by: 'person' | 'agent';
  /** Id of the user, key or program. */
  readonly author: string;
  /** Version that was corrected; null: there was none. */
  readonly basedOn: string | null;
  /** Version of a run that it stems from, perhaps over other corrections; null: none. */
  readonly root: string | null;
}

/** Person or agent that corrected, and the time. */
export type CorrectedBy = Pick<Correction, 'by' | 'author'> & { readonly at: Date };

export interface OcrResult {
  readonly ocrResultId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  /** Pages joined by a form feed. */
  readonly text: string;
  /** 0..100, words weighted by length over all pages. */
  readonly avgConfidence: number;
  readonly result: OcrPayload;
  /** Absent if there are none, and in results of older versions. */
  readonly warnings?: readonly ReadingWarning[];
  /** Absent in results of runs. */
  readonly correction?: Correction;
}

/** A part of a page that could not be read. */
export interface ReadingWarning {
  /** Index of the page. */
  readonly page: number;
  readonly code: PageWarningCode;
}

/** A result without pages, lines and words. */
export type OcrText = Omit<OcrResult, 'result'> & Pick<OcrPayload, 'language'>;

/** A page that was read, without its lines. */
export interface ReadPage extends Pick<OcrPage, 'index' | 'text' | 'confidence' | 'losses' | 'source'> {
  /** Characters of its words. */
  readonly wordCharacters: number;
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
