import { LRUCache } from 'lru-cache';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { SharedTurns } from '#src/concurrency/shared-turns.ts';
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
}: Parts): (
  of: Pick<RunFacts, 'organizationId' | 'projectId' | 'documentId' | 'again' | 'baseAt'>,
) => Promise<RunDocument> {
  const originals = byteCache<Buffer>((bytes) => bytes.length);
  const pages = new LRUCache<string, PageImage>({
    maxSize: cacheBytes,
    sizeCalculation: ({ png }) => Math.max(1, png.length),
  });
  const decoding = new SharedTurns<PageImage>();

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
    const work = { owner: record.organizationId, content: sha256, again: run.again };
    return {
      ...searchableOf(record, run.baseAt),
      languages,
      sha256,
      contentType,
      sizeBytes,
      pages: record.pages,
      degraded,
      async page(index, signal, clock) {
        signal.throwIfAborted();
        const key = `${record._id}/${index}`;
        const known = pages.get(key);
        if (known !== undefined) return known;
        // Parallel nodes share this load, so the abort of one must not end it.
        return decoding.do(key, { signal, clock }, async (turn) => {
          const page = await images.page(await original(record), index, { ...work, ...turn });
          pages.set(key, page);
          return page;
        });
      },
      async text(index, signal, clock) {
        if (contentType !== 'application/pdf') return null;
        return images.text(await original(record), index, { ...work, signal, clock });
      },
    };
  };
}
