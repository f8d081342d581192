import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ImageCodec, PageImage } from '#src/domain/ports/image-codec.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { RunDocument, RunFacts } from '#graphs/node-deps.ts';
import type { DocumentStore } from '#src/stores/documents.ts';

interface Parts {
  readonly documents: DocumentStore;
  readonly objects: ObjectStore;
  readonly images: ImageCodec;
}

/** Most bytes of originals, and of decoded pages, kept for the nodes of running runs. */
const cacheBytes = 16 * 1024 * 1024;

/** Least recently used values, bounded by bytes; the size of a value is known when its promise settles. */
class ByteCache<Value> {
  readonly #entries = new Map<string, { value: Promise<Value>; bytes: number }>();
  readonly #sizeOf: (value: Value) => number;
  #bytes = 0;

  constructor(sizeOf: (value: Value) => number) {
    this.#sizeOf = sizeOf;
  }

  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const found = this.#entries.get(key);
    if (found !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
      return found.value;
    }
    const entry = { value: make(), bytes: 0 };
    this.#entries.set(key, entry);
    entry.value.then(
      (value) => {
        if (this.#entries.get(key) === entry) this.#settle(entry, this.#sizeOf(value));
      },
      () => this.#entries.delete(key),
    );
    return entry.value;
  }

  #settle(entry: { bytes: number }, bytes: number): void {
    entry.bytes = bytes;
    this.#bytes += bytes;
    for (const [key, oldest] of this.#entries) {
      if (this.#bytes <= cacheBytes) return;
      this.#entries.delete(key);
      this.#bytes -= oldest.bytes;
    }
  }
}

/**
 * Documents of runs with their decoded pages, shared by the nodes of a run. Errors: `document.not_found`,
 * `upload.object_missing` when the bytes are gone, and the codec's.
 */
export function createRunDocuments({ documents, objects, images }: Parts): (run: RunFacts) => Promise<RunDocument> {
  const originals = new ByteCache<Buffer>((bytes) => bytes.length);
  const pages = new ByteCache<PageImage>((page) => page.png.length);

  const original = (record: DocumentRecord): Promise<Buffer> =>
    originals.get(record._id, async () => {
      const bytes = await objects.get(record.pinnedKey, { ifMatch: record.etag });
      if (bytes === null) throw new AppError('upload.object_missing', 'The stored bytes of the document are gone.');
      return bytes;
    });

  return async (run) => {
    const record = await documents.find(
      { organizationId: run.organizationId, projectIds: [run.projectId] },
      run.documentId,
    );
    if (record === null) throw new AppError('document.not_found', 'The document of this run is gone.');
    const { objectKey, sha256, contentType, sizeBytes, visibility, apiKeyId, createdAt } = record;
    return {
      objectKey,
      sha256,
      contentType,
      sizeBytes,
      pages: record.pages,
      visibility,
      apiKeyId,
      createdAt,
      async page(index, signal) {
        signal.throwIfAborted();
        // Shared by parallel nodes, so one node's abort must not end it: decoding has its own time limit.
        return pages.get(`${record._id}/${index}`, async () => images.page(await original(record), index));
      },
    };
  };
}
