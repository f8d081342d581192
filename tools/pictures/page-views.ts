import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { Turn } from '#src/domain/documents/object-key.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ImageCodec, PageImage, PageScan } from '#src/domain/ports/image-codec.ts';
import type { PageTurn } from '#src/domain/ports/page-turn.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import { FairQueue } from '#src/concurrency/fair-queue.ts';
import { RecentUse } from '#src/concurrency/recent-use.ts';
import { SharedWork } from '#src/concurrency/shared-work.ts';

/** Concurrent renderings: a page takes up to a second of a core, which runs need too. */
const work = { atOnce: 1, waiting: 16 };
const scanWork = { atOnce: 1, waiting: 16 };
/** Limit of a picture, in bytes: base64 adds a third, and models accept little more than a megabyte. */
const mostBytes = 720_000;
/** Attempts to fit the byte limit, each with about half the pixels of the one before: after these even noise fits. */
const mostAttempts = 4;

/** Documents that are open for their scans at a time, beside one of an organization that has none: each has up to 50 MiB in memory. */
const mostOpen = 4;
/** Limit of a scan's longest side, in pixels: A4 at 220 dpi, which reads and prints well. */
const scanSide = 2_600;

const turnOf = ({ organizationId, sha256 }: DocumentRecord): PageTurn => ({ owner: organizationId, content: sha256 });

/** Requested view; the caller has validated it. */
export interface PageView {
  /** Counted from 0. */
  readonly page: number;
  /** Clockwise rotation of the upright page in degrees, applied before the region. */
  readonly rotate: Turn;
  /** Fractions 0..1 of the rotated page; null: the whole page. */
  readonly region: { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | null;
  readonly maxPixels: number;
  /** Boxes to draw: x, y, width and height as fractions 0..1 of the rotated page. */
  readonly boxes?: readonly (readonly number[])[];
}

/** An open document. */
interface Scans extends Disposable {
  page(page: number, rotate: Turn): Promise<PageScan>;
}

interface PagePicture {
  readonly bytes: Buffer;
  readonly contentType: 'image/jpeg';
  readonly width: number;
  readonly height: number;
}

interface Parts {
  readonly objects: Pick<ObjectStore, 'get'>;
  readonly images: Pick<ImageCodec, 'page' | 'transform' | 'forModel' | 'forPrint' | 'inspect'>;
}

/**
 * Renders parts of pages for models: always re-encoded, never enlarged. The pictures are not stored, because almost every call asks for a
 * different region.
 */
export class PageViews {
  readonly #parts: Parts;
  readonly #work = new SharedWork<PagePicture>(work);
  /** Places of open documents. Owners that have none get one beside them. */
  readonly #open = new FairQueue<{ readonly owner: string }>(mostOpen, new RecentUse({ budgetMs: null }));
  readonly #scans = new SharedWork<PageScan>(scanWork);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Errors: `request.invalid` (page), `document.not_found`, `request.rate_limited`, and the codec's. */
  async picture(document: DocumentRecord, view: PageView): Promise<PagePicture> {
    if (view.page >= document.pages) {
      const message = `the document has pages 0 to ${document.pages - 1}`;
      throw new AppError('request.invalid', `Field /page: ${message}.`, {
        errors: [{ pointer: '/page', code: 'too_big', message }],
      });
    }
    const key = JSON.stringify([document.organizationId, document._id, view]);
    return this.#work.do(key, () => this.#make(document, view), document.organizationId);
  }

  /**
   * Opens a document for its scans: pages as JPEG, turned, one at a time. The uploaded bytes stay in memory until it is disposed of, so few
   * are open at a time. Errors: `document.not_found`, `request.rate_limited`; those of a scan: the latter, and the codec's.
   */
  async open(document: DocumentRecord): Promise<Scans> {
    const place = { owner: document.organizationId };
    this.#open.add(place);
    this.#open.next();
    if (this.#open.delete(place))
      throw new AppError('request.rate_limited', 'The server is busy. Retry in a few seconds.', {
        retryAfterSeconds: 5,
      });
    try {
      const original = await this.#original(document);
      return {
        page: (page, rotate) => this.#scan(document, original, page, rotate),
        [Symbol.dispose]: () => this.#open.end(place.owner),
      };
    } catch (error) {
      this.#open.end(place.owner);
      throw error;
    }
  }

  #scan(document: DocumentRecord, original: Buffer, page: number, rotate: Turn): Promise<PageScan> {
    const { images } = this.#parts;
    const { organizationId: owner, _id } = document;
    const make = async (): Promise<PageScan> =>
      images.forPrint(await images.page(original, page, turnOf(document)), rotate, scanSide);
    return this.#scans.do(JSON.stringify([owner, _id, page, rotate]), make, owner);
  }

  async #original({ pinnedKey, etag }: DocumentRecord): Promise<Buffer> {
    const original = await this.#parts.objects.get(pinnedKey, { ifMatch: etag });
    if (original === null) throw new AppError('document.not_found', 'The document was deleted.');
    return original;
  }

  async #make(document: DocumentRecord, view: PageView): Promise<PagePicture> {
    const { images } = this.#parts;
    const original = await this.#original(document);
    const { rotate, region, boxes } = view;
    let page = await images.page(original, view.page, turnOf(document));
    if (rotate !== 0) page = await images.transform(page, { rotate });
    if (boxes !== undefined) page = await images.transform(page, { outlines: boxes });
    if (region !== null)
      page = await images.transform(page, { crop: [region.x, region.y, region.width, region.height] });
    return this.#encode(page, view.maxPixels);
  }

  /** Renders the picture as large as the limits on pixels and bytes allow. */
  async #encode(page: PageImage, maxPixels: number): Promise<PagePicture> {
    const { images } = this.#parts;
    const scale = Math.min(1, Math.sqrt(maxPixels / (page.width * page.height)));
    let side = Math.max(1, Math.floor(Math.max(page.width, page.height) * scale));
    let bytes = await images.forModel(page, side);
    for (let attempt = 1; bytes.length > mostBytes && attempt < mostAttempts; attempt += 1) {
      side = Math.max(1, Math.floor(side * Math.min(0.9, Math.sqrt(mostBytes / bytes.length) * 0.9)));
      bytes = await images.forModel(page, side);
    }
    const { width, height } = await images.inspect(bytes);
    return { bytes, contentType: 'image/jpeg', width, height };
  }
}
