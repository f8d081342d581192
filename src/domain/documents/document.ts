import type { DocumentType } from '#src/contracts/media-types.ts';
import type { RunStatus } from '#src/contracts/lists/run-status.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';
import type { CorrectedBy, ReadingWarning } from '#src/domain/documents/results.ts';
import type { DomainEvent } from '#src/domain/events/events.ts';

export type Visibility = 'private' | 'public';
export type UploadFamily = 'workflow-key' | 'service' | 'dashboard';
/** `derived`: a run made it from another document. */
export type DocumentFamily = UploadFamily | 'derived';

export interface LatestOcr {
  readonly ocrResultId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  readonly avgConfidence: number;
  readonly characters: number;
  /** Parts of pages that could not be read, up to `mostShownWarnings`; absent if there are none. */
  readonly warnings?: readonly ReadingWarning[];
  /** Result of a run that it corrects; absent in results of runs. */
  readonly correctionOf?: string;
}

export interface LatestDescription {
  readonly descriptionId: string;
  readonly createdAt: Date;
  readonly modelLabel: string;
  readonly title: string;
  readonly text: string;
  /** Description of a run that it corrects; absent in those of runs. */
  readonly correctionOf?: string;
}

/** State of the run over a document that was created last. Source: docs/decisions/0155. */
export interface LatestRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: RunStatus;
  /** Time of the last change of status. */
  readonly at: Date;
  readonly error?: RunFailure;
  /** Creation, id and change of the run, in the order of text: a write with a lower one comes late and changes nothing. */
  readonly order: string;
}

/** Pages of a document that a run has read so far. They count while that run has not ended. Source: docs/decisions/0231. */
export interface DocumentReading {
  /** Id that the result gets when the last page is read. */
  readonly ocrResultId: string;
  readonly runId: string;
  readonly modelLabel: string;
  /** Codes joined by `+`. */
  readonly language: string;
  readonly pagesRead: number;
  readonly pages: number;
  /** Time of the last page. */
  readonly at: Date;
}

/** Texts of a document that people and agents correct. */
export type CorrectedText = 'ocr' | 'description';

/** A document as stored. `pendingEvents` is its outbox: written with the document, emptied by the relay. */
export interface DocumentRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  readonly family: DocumentFamily;
  readonly apiKeyId: string | null;
  /** User that uploaded it from the dashboard or over OAuth; absent in documents of older versions. */
  readonly userId?: string | null;
  /** Origin of a derived document. */
  readonly parentDocumentId?: string;
  readonly segmentationId?: string;
  readonly objectKey: string;
  /** Name that the uploader gave the file; absent without one. */
  readonly filename?: string;
  /** Title that a person or a program gave; absent: that of the description counts. */
  readonly givenTitle?: string;
  /** Unique, in the order in which they were given; absent: none. */
  readonly tags?: readonly string[];
  /** Codes of Tesseract, the main language first; absent: those of the workflow or of the installation. */
  readonly languages?: readonly string[];
  /** Last change of names, tags or languages, and the id of its event; absent: none was changed. */
  readonly named?: { readonly at: Date; readonly eventId: string };
  /** Last correction of the text or the description; absent: none was corrected. */
  readonly corrected?: CorrectedBy;
  /** Time of the last correction of each text. It stays when a run makes a newer version. Source: docs/decisions/0268. */
  readonly correctedAt?: Partial<Record<CorrectedText, Date>>;
  /** Key of the acknowledged bytes, which no client can write to; equals `objectKey` on a write-once store. */
  readonly pinnedKey: string;
  readonly etag: string;
  readonly sha256: string | null;
  readonly contentType: DocumentType;
  readonly sizeBytes: number;
  /** An older document of the project with the same bytes, or with another picture of the same page; absent without one. */
  readonly duplicateOf?: string;
  /** Present with `duplicateOf` of another picture. Source: docs/decisions/0203. */
  readonly duplicateKind?: 'near';
  /** Size of the pictures that were made from it and are kept; absent without one. */
  readonly pictureBytes?: number;
  readonly width: number;
  readonly height: number;
  readonly pages: number;
  readonly visibility: Visibility;
  readonly createdAt: Date;
  readonly ocr: LatestOcr | null;
  readonly description: LatestDescription | null;
  /** Values that people and agents gave in records of the document, for search. */
  readonly recordText?: string;
  /** The last run of this workflow succeeded without these nodes. */
  readonly degraded?: { readonly workflowId: string; readonly nodes: readonly string[] };
  /** Absent once the result is stored. A run that ended without a result leaves it. */
  readonly reading?: DocumentReading;
  /** Absent before the first run in the document's own project. */
  readonly latestRun?: LatestRun;
  /** Set when deletion starts: queries skip the document, and the relay deletes its data. Also set in the trash, where the data stays. */
  readonly deletedAt?: Date;
  /** Set with `deletedAt` while the document is in the trash. `with`: the document that it was derived from and went there with. */
  readonly trash?: { readonly at: Date; readonly by: string; readonly with?: string };
  readonly pendingEvents: readonly DomainEvent[];
}

/** A presigned upload, acknowledged or not. `documentId` is fixed at presign. */
export interface UploadRecord {
  /** The object key. */
  readonly _id: string;
  readonly documentId: string;
  readonly family: UploadFamily;
  readonly apiKeyId: string | null;
  /** Absent in uploads of older versions. */
  readonly userId?: string | null;
  readonly organizationId: string;
  readonly projectId: string;
  readonly contentType: DocumentType;
  readonly sizeBytes: number;
  /** Without folders and control characters. */
  readonly filename?: string;
  readonly languages?: readonly string[];
  readonly visibility: Visibility;
  readonly createdAt: Date;
  /** The sweep removes it after this time. */
  readonly forgetAt: Date;
  /** true: the sweep has taken it, and it cannot be acknowledged any more. */
  readonly expired?: true;
}

/** Document that it is a copy of, and the kind of the copy, for answers and events. */
export const duplicateOf = ({
  duplicateOf: of,
  duplicateKind,
}: Pick<DocumentRecord, 'duplicateOf' | 'duplicateKind'>): {
  readonly duplicateOf?: string;
  readonly duplicateKind?: 'exact' | 'near';
} => (of === undefined ? {} : { duplicateOf: of, duplicateKind: duplicateKind ?? 'exact' });

/** Title of a document: the given one, or else that of its description, which is empty where a person wrote the first one. null: it has none. */
export function titleOf({
  givenTitle,
  description,
}: Pick<DocumentRecord, 'givenTitle' | 'description'>): string | null {
  const described = description?.title ?? '';
  return givenTitle ?? (described === '' ? null : described);
}
