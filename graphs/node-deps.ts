import type { ResultStore } from '#src/domain/ports/result-store.ts';
import type { SearchIndex } from '#src/domain/ports/search-index.ts';
import type { Models } from '#src/domain/ports/models.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

/** What the run is about. Every write of a node carries these, so that a result row is unique and stays with its tenant. */
export interface RunFacts {
  readonly runId: string;
  readonly executionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly documentId: string;
}

/** The run's document, decoded on demand; pages are kept in a bounded cache, so a node after `load_image` finds them warm. */
export interface RunDocument {
  readonly objectKey: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly pages: number;
  readonly visibility: 'private' | 'public';
  readonly apiKeyId: string | null;
  readonly createdAt: Date;
  page(index: number, signal: AbortSignal): Promise<PageImage>;
}

/** Everything a node may reach: nothing outside the run's organization and project. */
export interface NodeDeps {
  /** Throws `document.not_found` when the run's document is gone. */
  document(run: RunFacts): Promise<RunDocument>;
  readonly results: ResultStore;
  readonly search: SearchIndex;
  readonly ocr: OcrEngine;
  readonly models: Models;
}
