import type { DocumentType } from '#src/contracts/media-types.ts';
import type { DomainEvent } from '#src/domain/events/events.ts';

export type Visibility = 'private' | 'public';
export type UploadFamily = 'workflow-key' | 'service' | 'dashboard';
/** `derived`: made by a run from another document. */
export type DocumentFamily = UploadFamily | 'derived';

export interface LatestOcr {
  readonly ocrResultId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  readonly avgConfidence: number;
  readonly characters: number;
}

export interface LatestDescription {
  readonly descriptionId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  readonly title: string;
  readonly text: string;
}

/** A document as stored. `pendingEvents` is its outbox: written with it in one write, emptied by the relay. */
export interface DocumentRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  readonly family: DocumentFamily;
  readonly apiKeyId: string | null;
  /** Who uploaded it from the dashboard or over OAuth; missing in documents of older versions. */
  readonly userId?: string | null;
  /** Of derived documents: what they were made from, and by what. */
  readonly parentDocumentId?: string;
  readonly segmentationId?: string;
  readonly objectKey: string;
  /** Where the acknowledged bytes are, under a key no client can write to, or `objectKey` itself on a write-once store. */
  readonly pinnedKey: string;
  readonly etag: string;
  readonly sha256: string | null;
  readonly contentType: DocumentType;
  readonly sizeBytes: number;
  readonly width: number;
  readonly height: number;
  readonly pages: number;
  readonly visibility: Visibility;
  readonly createdAt: Date;
  readonly ocr: LatestOcr | null;
  readonly description: LatestDescription | null;
  /** It is being deleted: nobody finds it, and the relay takes away what belongs to it. */
  readonly deletedAt?: Date;
  readonly pendingEvents: readonly DomainEvent[];
}

/** A presigned upload that has not been acknowledged, or was: `documentId` is fixed from the start. */
export interface UploadRecord {
  /** The object key. */
  readonly _id: string;
  readonly documentId: string;
  readonly family: UploadFamily;
  readonly apiKeyId: string | null;
  /** Missing in uploads of older versions. */
  readonly userId?: string | null;
  readonly organizationId: string;
  readonly projectId: string;
  readonly contentType: DocumentType;
  readonly sizeBytes: number;
  readonly visibility: Visibility;
  readonly createdAt: Date;
  /** Forgotten after this (TTL index). */
  readonly forgetAt: Date;
}
