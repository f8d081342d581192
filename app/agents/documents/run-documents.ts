import { LRUCache } from 'lru-cache';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { searchableOf } from '#src/domain/search/searchable.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ImageCodec, PageImage } from '#src/domain/ports/image-codec.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { RunDocument, RunFacts } from '#graphs/node-deps.ts';
import type { DocumentStore } from '#src/stores/documents.ts';

interface Parts {
  readonly documents: DocumentStore;
  readonly objects: Pick<ObjectStore, 'get'>;
  readonly images: ImageCodec;
}

/** Limit on the bytes of originals and decoded pages that are cached for running runs. */
const cacheBytes = 16 * 1024 * 1024;

type Make<Value> = () => Promise<Value>;

/** Concurrent requests for the same key share one load. An evicted load still answers its callers. */
function byteCache<Value extends object>(sizeOf: (value: Value) => number): LRUCache<string, Value, Make<Value>> {
  return new LRUCache<string, Value, Make<Value>>({
    maxSize: cacheBytes,
    // A size of 0 is an error in lru-cache.
    sizeCalculation: (value) => Math.max(1, sizeOf(value)),
    fetchMethod: (_key, _stale, { context: make }) => make(),
    ignoreFetchAbort: true,
  });
}

/**
 * Documents of runs with their decoded pages, shared by the nodes of a run. Errors: `document.not_found`,
 * `upload.object_missing` when the bytes are gone, and the codec's.
 */
export function createRunDocuments({
  documents,
  objects,
  images,
}: Parts): (of: Pick<RunFacts, 'organizationId' | 'projectId' | 'documentId' | 'baseAt'>) => Promise<RunDocument> {
  const originals = byteCache<Buffer>((bytes) => bytes.length);
  const pages = byteCache<PageImage>((page) => page.png.length);

  const original = (record: DocumentRecord): Promise<Buffer> =>
    originals.forceFetch(record._id, {
      context: async () => {
        const bytes = await objects.get(record.pinnedKey, { ifMatch: record.etag });
        if (bytes === null)
          throw new AppError('upload.object_missing', 'The stored bytes of the document were deleted.');
        return bytes;
      },
    });

  return async (run) => {
    const record = await documents.find(
      { organizationId: run.organizationId, projectIds: [run.projectId] },
      run.documentId,
    );
    if (record === null) throw new AppError('document.not_found', 'The document of this run was deleted.');
    const { languages, sha256, contentType, sizeBytes, degraded } = record;
    return {
      ...searchableOf(record, run.baseAt),
      languages,
      sha256,
      contentType,
      sizeBytes,
      pages: record.pages,
      degraded,
      async page(index, signal) {
        signal.throwIfAborted();
        // Parallel nodes share this load, so the abort of one must not end it. Decoding has its own time limit.
        return pages.forceFetch(`${record._id}/${index}`, {
          context: async () => images.page(await original(record), index),
        });
      },
      async text(index, signal) {
        if (contentType !== 'application/pdf') return null;
        return images.text(await original(record), index, signal);
      },
    };
  };
}
