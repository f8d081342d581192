import { readAlike } from '#src/domain/documents/copies/copies.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { comparedSide, isSavedAgain } from '#src/domain/documents/copies/saved-again.ts';
import { deadline } from '#graphs/engine/deadline.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { GrayRaster, ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { RunDocument, RunFacts } from '#graphs/node-deps.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { PossibleCopy } from '#src/stores/search/copies.ts';
import type { SearchUpdate } from '#src/stores/search/rows/row.ts';
import type { SearchIndex } from '#src/stores/search/search-index.ts';

interface Parts {
  readonly documents: Pick<DocumentStore, 'findMany' | 'markNear'>;
  readonly search: Pick<SearchIndex, 'possibleCopies' | 'textOf'>;
  readonly images: Pick<ImageCodec, 'raster'>;
  readonly document: (of: Pick<RunFacts, 'organizationId' | 'projectId' | 'documentId'>) => Promise<RunDocument>;
  /** Called with each document that was marked. */
  readonly announce: (document: DocumentRecord) => Promise<void>;
}

/** Documents whose evidence is read, of those that look the same: pages of one form all do. */
const mostDecided = 10;
/** Time to decode a page that is compared, without its wait for a turn. */
const usualDecodeMs = 20_000;

/**
 * Marks an indexed document as a near-duplicate of the oldest document of its project that shows the same page. Where it is the oldest
 * itself, as when two uploads are processed at a time, the newer ones are marked. Source: `document.near_duplicates`, docs/decisions/0203.
 */
export function createCopyMarker({ documents, search, images, document, announce }: Parts, decodeMs = usualDecodeMs) {
  /** null for a page whose bytes are gone, or cannot be decoded in time: there is nothing to compare, and the document stays indexed. */
  const pixelsOf = async (of: Parameters<Parts['document']>[0]): Promise<GrayRaster | null> => {
    const late = (): Error => new AppError('run.step_timeout', `The page took longer than ${decodeMs} ms.`);
    using limit = deadline([], { ms: decodeMs, reason: late });
    const { signal } = limit;
    try {
      return await images.raster(await (await document(of)).page(0, signal, limit), comparedSide, signal);
    } catch (error) {
      if (error instanceof AppError || signal.aborted) return null;
      throw error;
    }
  };
  /** Compares the evidence of one document with that of others, reading its own once. */
  const comparison = (own: SearchUpdate) => {
    let pixels: Promise<GrayRaster | null> | null = null;
    return async ({ documentId, evidence }: PossibleCopy): Promise<boolean> => {
      if (evidence.includes('text')) {
        const text = await search.textOf(own.organizationId, documentId);
        if (text !== null && readAlike(own.ocrText ?? '', text)) return true;
      }
      if (!evidence.includes('pixels')) return false;
      pixels ??= pixelsOf(own);
      const [one, other] = [await pixels, await pixelsOf({ ...own, documentId })];
      return one !== null && other !== null && isSavedAgain(one, other);
    };
  };
  return async (own: SearchUpdate): Promise<void> => {
    const { organizationId, projectId, documentId } = own;
    const possible = await search.possibleCopies(own);
    if (possible.length === 0) return;
    const ids = [documentId, ...possible.map((one) => one.documentId)];
    const found = await documents.findMany({ organizationId, projectIds: [projectId] }, ids);
    const records = new Map(found.map((record) => [record._id, record]));
    const self = records.get(documentId);
    if (self === undefined || isExact(self)) return;
    const mark = async (_id: string, of: string): Promise<void> => {
      const marked = await documents.markNear({ _id, organizationId }, of);
      if (marked !== null) await announce(marked);
    };
    const isCopy = comparison(own);
    const isOlder = ({ createdAt, documentId: id }: PossibleCopy): boolean =>
      createdAt < self.createdAt || (createdAt.getTime() === self.createdAt.getTime() && id < documentId);
    const comparable = possible.filter((one) => {
      const record = records.get(one.documentId);
      // A newer document that is a copy already stays one of the older document.
      return record?.pages === self.pages && !isExact(record) && (isOlder(one) || record.duplicateOf === undefined);
    });
    for (const one of comparable.slice(0, mostDecided)) {
      if (self.duplicateOf === one.documentId) return;
      if (!(await isCopy(one))) continue;
      if (isOlder(one)) return mark(documentId, one.documentId);
      await mark(one.documentId, documentId);
    }
  };
}

/** True for a copy of the same bytes, which was marked when it was acknowledged. */
const isExact = ({ duplicateOf, duplicateKind }: DocumentRecord): boolean =>
  duplicateOf !== undefined && duplicateKind === undefined;
