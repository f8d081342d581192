import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import type { ImageCodec, PageImage } from '#src/domain/ports/image-codec.ts';
import type { Models } from '#src/domain/ports/models.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import type { Segmenters } from '#src/domain/ports/segmenter.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { SearchIndex } from '#src/stores/search/search-index.ts';

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
  /** Of the acknowledged bytes. */
  readonly sha256: string | null;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly pages: number;
  readonly visibility: 'private' | 'public';
  readonly apiKeyId: string | null;
  readonly createdAt: Date;
  page(index: number, signal: AbortSignal): Promise<PageImage>;
}

/** A picture made by a run, to be stored as a document of its own. */
export interface DerivedImage {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  /** Result it was made from. */
  readonly segmentationId: string;
}

/** A readable document of the run's project, as the `agent` node may look at it. */
export interface FoundDocument {
  readonly documentId: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

/** Everything a node may reach: nothing outside the run's organization and project. */
export interface NodeDeps {
  /** Throws `document.not_found` when the run's document is gone. */
  document(run: RunFacts): Promise<RunDocument>;
  /** Stores the picture with the run's document as its parent, once for each run and path; answers its document id. */
  storeDerived(run: RunFacts, path: string, image: DerivedImage): Promise<string>;
  /** Latest title, description and text of a document of the run's project; null when there is none. */
  readDocument(run: RunFacts, documentId: string): Promise<FoundDocument | null>;
  readonly images: Pick<ImageCodec, 'transform' | 'raster'>;
  readonly results: ResultStore;
  readonly search: SearchIndex;
  readonly ocr: OcrEngine;
  readonly models: Models;
  readonly chat: ChatModel;
  readonly segmenters: Segmenters;
  readonly outbound: Outbound;
  /** Puts a webhook into the outbox; the same id again changes nothing. Fields that the store sets are left out. */
  deliver(
    delivery: Pick<DeliveryRecord, '_id' | 'organizationId' | 'projectId' | 'url' | 'type' | 'payload'>,
  ): Promise<void>;
  /** Announces `workflow.emitted` on the realtime feed. */
  announce(run: RunFacts, path: string, data: Readonly<Record<string, unknown>>): Promise<void>;
}
