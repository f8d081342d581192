import type { Pausable } from '#src/domain/ports/page-turn.ts';
import type { PageText } from '#src/domain/ports/image-codec.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { Searchable } from '#src/domain/search/searchable.ts';
import type { ImageCodec, PageImage } from '#src/domain/ports/image-codec.ts';
import type { Models } from '#src/domain/ports/models.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { OpenToolServer } from '#src/domain/ports/tool-server.ts';
import type { Outbound } from '#src/domain/ports/outbound.ts';
import type { Segmenters } from '#src/domain/ports/segmenter.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import type { RecordStore } from '#src/stores/records/record-store.ts';
import type { RecordTypeStore } from '#src/stores/records/record-types.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { SearchUpdate } from '#src/stores/search/rows/row.ts';
import type { SearchIndex } from '#src/stores/search/search-index.ts';

/** Ids of a run. Every write of a node includes them, which makes result rows unique and keeps them with their tenant. */
export interface RunFacts {
  readonly runId: string;
  readonly executionId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly documentId: string;
  /** true: the run belongs to an experiment. Its results are stored for the run alone: no document, search or feed shows them. */
  readonly isolated?: true;
  /** true: a person started it in the dashboard, also for pages that used up their limits before. */
  readonly again?: true;
  /** Corrections since then outlast the results of the run. Absent in runs whose results no document shows. */
  readonly baseAt?: Date;
}

/** The run's document, decoded on demand. A bounded cache keeps pages for later nodes. */
export interface RunDocument extends Searchable {
  /** Codes of Tesseract that the uploader named, the main language first. */
  readonly languages?: readonly string[] | undefined;
  /** SHA-256 of the acknowledged bytes. */
  readonly sha256: string | null;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly pages: number;
  /** Nodes that failed in the last run of a workflow. */
  readonly degraded?: DocumentRecord['degraded'];
  /** `clock` stands still while the page waits for its turn. */
  page(index: number, signal: AbortSignal, clock?: Pausable): Promise<PageImage>;
  /** Text that a page of a PDF states; null for other documents, and for pages without. */
  text(index: number, signal: AbortSignal, clock?: Pausable): Promise<PageText | null>;
}

/** A picture that a run made, to be stored as a derived document. */
export interface DerivedImage {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  /** Segmentation that it shows. */
  readonly segmentationId: string;
}

/** A document of the run's project, as the `agent` node sees it. */
export interface FoundDocument {
  readonly documentId: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

/** Dependencies of nodes, limited to the run's organization and project. */
export interface NodeDeps {
  /**
   * The run's document, read once for each lease; `now`: read again, for what can change meanwhile. Throws `document.not_found` if it was
   * deleted.
   */
  document(run: RunFacts, asOf?: 'now'): Promise<RunDocument>;
  /** Stores the picture as a child of the run's document, once for each run and path. Returns its document id. */
  storeDerived(run: RunFacts, path: string, image: DerivedImage): Promise<string>;
  /** Latest title, description and text of a document of the run's project; null if it does not exist. */
  readDocument(run: RunFacts, documentId: string): Promise<FoundDocument | null>;
  readonly images: Pick<ImageCodec, 'transform' | 'raster'>;
  readonly results: ResultStore;
  readonly recordTypes: Pick<RecordTypeStore, 'find' | 'list'>;
  readonly records: Pick<RecordStore, 'find' | 'save'>;
  readonly search: Omit<SearchIndex, 'upsert'> & {
    /** Returns the document as it is after the write; undefined: the run is kept apart, and nothing was written. */
    upsert(update: SearchUpdate): Promise<DocumentRecord | undefined>;
  };
  readonly ocr: OcrEngine;
  readonly models: Models;
  readonly chat: ChatModel;
  readonly segmenters: Segmenters;
  readonly outbound: Outbound;
  /** Connects to an MCP server through the outbound that the caller gives. */
  readonly openToolServer: OpenToolServer;
  /** Adds a webhook delivery to the outbox; a known id changes nothing. */
  deliver(
    delivery: Pick<DeliveryRecord, '_id' | 'organizationId' | 'projectId' | 'url' | 'type' | 'payload'>,
  ): Promise<void>;
  /** Publishes `workflow.emitted` on the realtime feed. */
  announce(run: RunFacts, path: string, data: Readonly<Record<string, unknown>>): Promise<void>;
}
