/** Metadata of a stored object. `etag` identifies these exact bytes: SHA-256 in hex on the disk store, the service's own on S3. */
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
  /** Recorded with the object. A condition on the request only if `signContentType` is set. */
  readonly contentType: string;
  readonly signContentType?: boolean;
  /** MD5 digest of the body in base64 (RFC 1864). The store refuses another body. */
  readonly contentMd5?: string;
  readonly expiresAt: Date;
}

export interface PresignGet {
  readonly key: string;
  readonly expiresAt: Date;
  /** Serves the object inline with this type. Absent: as an attachment of type application/octet-stream. */
  readonly inlineType?: string;
  /** Name to save the object under. Absent: the last segment of the key, or the service's own. */
  readonly filename?: string;
}

/** Room for objects. `minFreeBytes` is the reserve below which uploads are refused; 0: none. */
export interface DiskState {
  readonly freeBytes: number;
  readonly minFreeBytes: number;
}

/**
 * Large bytes by key. Keys are `/`-separated segments of `[A-Za-z0-9._-]`, at most 512 characters; anything else is
 * refused with `object.not_found`. Where `writeOnce` is true, a key is written once: the first complete body wins, later writers get
 * `object.exists`, and after a delete `object.deleted` until the upload address has expired. `put` and `presignPut` throw `storage.full` when
 * the disk is nearly full. Every method throws `service.unavailable` when the store does not respond. Held by
 * test/conformance/object-store.ts. Source: docs/decisions/0007, 0114.
 */
export interface ObjectStore {
  /** True if stored objects never change, so that acknowledged bytes need no copy. */
  readonly writeOnce: boolean;
  presignPut(request: PresignPut): Promise<{ url: string; headers: Record<string, string> }>;
  presignGet(request: PresignGet): Promise<string>;
  head(key: string): Promise<ObjectHead | null>;
  /** Whole body. null when the object is absent, or when `ifMatch` names other bytes. */
  get(key: string, options?: { ifMatch?: string }): Promise<Buffer | null>;
  /**
   * Head and whole body of the same object. null when it is absent. May return an upload that this process has just stored, and another one has
   * deleted since.
   */
  read(key: string): Promise<{ readonly head: ObjectHead; readonly bytes: Buffer } | null>;
  /** Bytes `start..end` (exclusive), clipped to the object. null when it is absent. */
  getRange(key: string, start: number, end: number): Promise<Buffer | null>;
  put(key: string, body: Buffer, contentType: string): Promise<ObjectHead>;
  /** Copies exactly the bytes named by `ifMatch` within the store. A repeated call with the same bytes succeeds. */
  copy(from: string, to: string, ifMatch: string): Promise<ObjectHead>;
  /** Removes the object at once. The key is free when no upload address for it is valid. The store may delete the bytes later. */
  delete(key: string): Promise<void>;
  /** Frees many keys and deletes their bytes soon, unless another key refers to the same bytes. Ignores absent keys. */
  deleteAll(keys: readonly string[]): Promise<void>;
  /** Rejects when the store is not available. */
  check(): Promise<void>;
  /** null: the store tells no limit. */
  disk(): Promise<DiskState | null>;
}
