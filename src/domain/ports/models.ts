import type { PageImage } from '#src/domain/ports/image-codec.ts';

/** Usage of one model call. `costUsd` is set only if the provider reports it. */
export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
  readonly ms: number;
}

export interface DescribeRequest {
  readonly page: PageImage;
  readonly pages: number;
  /** Recognized text of all pages. Untrusted: prompts delimit it. */
  readonly text: string;
  readonly avgConfidence: number;
  readonly signal?: AbortSignal;
}

export interface DocumentDescription {
  readonly title: string;
  readonly description: string;
  /** BCP 47, or `und`. */
  readonly language: string;
  readonly documentType: string;
  readonly keyFields: readonly { readonly name: string; readonly value: string }[];
  readonly tags: readonly string[];
}

/** Describes a document. Errors: `model.failed`. `label` names the source of the text (`local/heuristic-1`, `openai/<model>`). */
export interface Describer {
  readonly label: string;
  describe(request: DescribeRequest): Promise<{ value: DocumentDescription; usage: ModelUsage }>;
}

export interface Embedding {
  readonly vector: Float32Array;
  readonly usage: ModelUsage;
}

/** Text to a unit vector of `dimensions`. Vectors of different labels are never compared. Errors: `model.failed`. */
export interface TextEmbedder {
  readonly label: string;
  readonly dimensions: number;
  embedDocument(text: string, signal?: AbortSignal): Promise<Embedding>;
  embedQuery(text: string, signal?: AbortSignal): Promise<Embedding>;
}

/** Picture to a unit vector of `dimensions`, and a 64-bit block hash (16 hex digits) for near-duplicates. */
export interface ImageEmbedder {
  readonly label: string;
  readonly dimensions: number;
  embedImage(page: PageImage, signal?: AbortSignal): Promise<Embedding & { readonly blockHash: string }>;
}

export interface Models {
  readonly describer: Describer;
  readonly text: TextEmbedder;
  readonly image: ImageEmbedder;
}
