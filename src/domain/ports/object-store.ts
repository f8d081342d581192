/** What is known of a stored object. `etag` names these exact bytes (SHA-256, lower-case hex, on the disk store). */
export interface ObjectHead {
  readonly key: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly etag: string;
}

export interface PresignPut {
  readonly key: string;
  /** Exact body length in bytes; part of the signature. */
  readonly contentLength: number;
  /** Recorded with the object; a condition on the request only when `signContentType` is set. */
  readonly contentType: string;
  readonly signContentType?: boolean;
  readonly expiresAt: Date;
}

export interface PresignGet {
  readonly key: string;
  readonly expiresAt: Date;
  /** Served with this type and inline; without it, as an attachment of type application/octet-stream. */
  readonly inlineType?: string;
}

/**
 * Large bytes by key. Keys are `/`-separated segments of `[A-Za-z0-9._-]`, at most 512 characters; anything else is
 * refused with `object.not_found`. A key is written once: the first complete body wins, later writers get `object.exists`.
 * Held by test/conformance/object-store.ts. Source: docs/decisions/0007.
 */
export interface ObjectStore {
  /** Whether a stored object can never change again, so that acknowledged bytes need no copy of their own. */
  readonly writeOnce: boolean;
  presignPut(request: PresignPut): Promise<{ url: string; headers: Record<string, string> }>;
  presignGet(request: PresignGet): Promise<string>;
  head(key: string): Promise<ObjectHead | null>;
  /** Whole body; null when absent, or when `ifMatch` names other bytes. */
  get(key: string, options?: { ifMatch?: string }): Promise<Buffer | null>;
  /** Bytes `start..end` (exclusive), clipped to the object; null when absent. */
  getRange(key: string, start: number, end: number): Promise<Buffer | null>;
  put(key: string, body: Buffer, contentType: string): Promise<ObjectHead>;
  /** Server-side copy of exactly the bytes named by `ifMatch`; repeated with the same bytes it answers the same. */
  copy(from: string, to: string, ifMatch: string): Promise<ObjectHead>;
  /** The key is free at once; its bytes may stay where they are until the store tidies up. */
  delete(key: string): Promise<void>;
  /** The same for many, and their bytes follow soon, unless another key names the same. Absent keys are no error. */
  deleteAll(keys: readonly string[]): Promise<void>;
  /** Rejects when the store cannot serve. */
  check(): Promise<void>;
}
