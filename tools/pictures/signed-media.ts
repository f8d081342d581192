import { createHash, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import {
  pageWidths,
  pictureKey,
  thumbnailSides,
  turns,
  type Picture,
  type Turn,
} from '#src/domain/documents/object-key.ts';
import { AppError } from '#src/domain/app-error.ts';
import { SharedWork } from '#src/concurrency/shared-work.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { UsageStore } from '#src/stores/usage.ts';
import type { DocumentStore } from '#src/stores/documents.ts';

const lifetimeSeconds = 3_600;
/** Rounds the expiry to steps, so that a URL stays the same for a while and browsers can cache the picture. */
const stepSeconds = 600;
const rememberedSignatures = 2_000;
const usualSide = 320;
const usualWidth = 1_600;
/** Limit of a picture's height, in pixels: receipt rolls are long, but a larger value is an attack or a broken file. */
const tallest = 8_000;

/** Concurrent renderings: a PDF page takes about a second of a core, which runs need too. */
const pageWork = { atOnce: 2, waiting: 16 };
/** Concurrent thumbnails: lists show many at once, and each is small. */
const thumbnailWork = { atOnce: 2, waiting: 100 };

/** Errors of a store that cannot keep a picture, which can be served all the same. */
const notKept: ReadonlySet<string> = new Set(['object.exists', 'storage.full']);

/** Unchecked parts of a picture's URL. */
export interface MediaRequest {
  readonly organizationId: string;
  readonly documentId: string;
  /** Page number, counted from 0. */
  readonly picture: 'thumbnail' | number;
  readonly expires: unknown;
  readonly signature: unknown;
  readonly width?: unknown;
  readonly rotate?: unknown;
}

export interface MediaFile {
  /** Identifies the pixels, for the ETag. */
  readonly etag: string;
  /** WebP bytes. */
  read(): Promise<Buffer>;
}

interface Parts {
  readonly documents: Pick<DocumentStore, 'findInOrganization' | 'addPicture'>;
  readonly usage: Pick<UsageStore, 'add'>;
  readonly objects: Pick<ObjectStore, 'get' | 'put' | 'deleteAll' | 'presignGet'>;
  readonly images: Pick<ImageCodec, 'thumbnail' | 'picture'>;
  readonly secret: Buffer;
  baseUrl(): string;
  /** True: `baseUrl` has a dashboard. */
  readonly hasDashboard: boolean;
}

/** Makes signed URLs of a document's pictures, and addresses of pages for people. */
export type Thumbnails = Pick<SignedMedia, 'url' | 'pageUrl' | 'originalUrl' | 'linked'>;

type Opened = 'thumbnail' | 'pages';

/** End of a new URL, in Unix seconds. */
const expiry = (): number => Math.ceil((Date.now() / 1_000 + lifetimeSeconds) / stepSeconds) * stepSeconds;

/**
 * Serves re-encoded pictures behind signed URLs. A picture is made at the first request and stored beside the document. Every request
 * reads the document, so that no URL works after its deletion. Source: docs/decisions/0038.
 */
export class SignedMedia {
  readonly #parts: Parts;
  /** Made once: a Buffer would be made a key for each signature, which costs five times the signature. */
  readonly #key: KeyObject;
  /** Signatures that were given out lately: lists are asked for again before their URLs change. */
  readonly #given = new LRUCache<string, string>({ max: rememberedSignatures });
  readonly #pages = new SharedWork<Buffer>(pageWork);
  readonly #thumbnails = new SharedWork<Buffer>(thumbnailWork);

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#key = createSecretKey(parts.secret);
  }

  /** Re-encoded first page as WebP, longest side 320 pixels; `&w=` asks for another size, up to 640. */
  url(document: Pick<DocumentRecord, '_id' | 'organizationId'>): string {
    return this.#address(document, 'thumbnail', 'thumbnail.webp');
  }

  /** Re-encoded page as WebP, pages counted from 0; `&w=` sizes it, `&rotate=90|180|270` turns it clockwise. */
  pageUrl(document: DocumentRecord, page: number): string {
    return this.#address(document, 'pages', `pages/${page}.webp`);
  }

  /** Member `links` with the address of a page of the dashboard; nothing without one. Source: `links.web`. */
  linked(path: string): { readonly links?: { readonly web: string } } {
    return this.#parts.hasDashboard ? { links: { web: this.#parts.baseUrl() + path } } : {};
  }

  originalUrl({ pinnedKey, filename }: DocumentRecord): Promise<string> {
    const named = filename === undefined ? {} : { filename };
    return this.#parts.objects.presignGet({ key: pinnedKey, expiresAt: new Date(expiry() * 1_000), ...named });
  }

  /**
   * Errors: `object.signature_invalid`, `object.expired`, `request.invalid` (size), `document.not_found`, `request.not_found` (page);
   * those of `read`: `request.rate_limited`, `document.not_found`, and the codec's.
   */
  async open(request: MediaRequest): Promise<MediaFile> {
    this.#verify(request);
    const picture = pictureOf(request);
    const { organizationId, documentId } = request;
    const document = await this.#parts.documents.findInOrganization(organizationId, documentId);
    if (document === null) throw gone();
    if (picture.kind === 'page' && picture.page >= document.pages)
      throw new AppError(
        'request.not_found',
        `This document has pages 0 to ${document.pages - 1}. Ask for one of these.`,
      );
    const key = pictureKey(document, picture);
    const etag = createHash('sha256').update(`${document.etag}\n${key}`).digest('hex').slice(0, 32);
    return { etag, read: () => this.#read(document, picture, key) };
  }

  async #read(document: DocumentRecord, picture: Picture, key: string): Promise<Buffer> {
    const kept = await this.#parts.objects.get(key);
    if (kept !== null) return kept;
    const work = picture.kind === 'page' ? this.#pages : this.#thumbnails;
    return work.do(key, () => this.#make(document, picture, key), document.organizationId);
  }

  async #make(document: DocumentRecord, picture: Picture, key: string): Promise<Buffer> {
    const { objects, images } = this.#parts;
    const original = await objects.get(document.pinnedKey, { ifMatch: document.etag });
    if (original === null) throw gone();
    const turn = { owner: document.organizationId, content: document.sha256 };
    const made =
      picture.kind === 'thumbnail'
        ? await images.thumbnail(original, picture.side, turn)
        : await images.picture(
            original,
            picture.page,
            { width: picture.width, height: tallest, rotate: picture.rotate },
            turn,
          );
    const kept = await objects.put(key, made, 'image/webp').catch((error: unknown) => {
      // Another process stored the same picture first, and either one is right; or there is no room to keep it.
      if (!(error instanceof AppError && notKept.has(error.code))) throw error;
      return null;
    });
    // Order matters: read after the picture is stored, so that a concurrent deletion either finds the picture or is found here.
    if (await this.#count(document, kept?.sizeBytes ?? 0)) return made;
    await objects.deleteAll([key]);
    throw gone();
  }

  /** Counts the bytes of a picture. False when the document is gone. */
  async #count(document: DocumentRecord, bytes: number): Promise<boolean> {
    const { documents, usage } = this.#parts;
    const { organizationId, _id } = document;
    if (bytes === 0) return (await documents.findInOrganization(organizationId, _id)) !== null;
    if (!(await documents.addPicture(organizationId, _id, bytes))) return false;
    await usage.add(document, bytes, 0);
    return true;
  }

  #address(
    { organizationId, _id }: Pick<DocumentRecord, '_id' | 'organizationId'>,
    opened: Opened,
    file: string,
  ): string {
    const expires = expiry();
    const signed = signedText(opened, { organizationId, documentId: _id, expires: String(expires) });
    const known = this.#given.get(signed);
    const signature = known ?? this.#sign(signed);
    if (known === undefined) this.#given.set(signed, signature);
    const query = `expires=${expires}&signature=${signature}`;
    return `${this.#parts.baseUrl()}/media/${organizationId}/${_id}/${file}?${query}`;
  }

  #verify({ organizationId, documentId, picture, expires, signature }: MediaRequest): void {
    if (typeof expires !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(expires)) throw forged();
    const opened = picture === 'thumbnail' ? 'thumbnail' : 'pages';
    const expected = Buffer.from(this.#sign(signedText(opened, { organizationId, documentId, expires })));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw forged();
    if (Number(expires) * 1_000 < Date.now())
      throw new AppError('object.expired', 'This URL has expired. Read the document again to get a new one.');
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** Thumbnails and pages differ: a URL of a thumbnail in a list must not open the pages. */
const signedText = (opened: Opened, of: { organizationId: string; documentId: string; expires: string }): string =>
  `${opened}\n${of.organizationId}\n${of.documentId}\n${of.expires}`;

function forged(): AppError {
  return new AppError(
    'object.signature_invalid',
    'The signature of this URL is invalid. Read the document again to get a valid one.',
  );
}

function gone(): AppError {
  return new AppError('document.not_found', 'The document was deleted.');
}

function pictureOf({ picture, width, rotate }: MediaRequest): Picture {
  if (picture === 'thumbnail') return { kind: 'thumbnail', side: sizeOf(width, thumbnailSides, usualSide) };
  return { kind: 'page', page: picture, width: sizeOf(width, pageWidths, usualWidth), rotate: turnOf(rotate) };
}

/** Rounds up to a step, so that few sizes are stored. */
function sizeOf(asked: unknown, steps: readonly number[], usual: number): number {
  if (asked === undefined) return usual;
  const wanted = typeof asked === 'string' && /^[1-9]\d{0,4}$/.test(asked) ? Number(asked) : Number.NaN;
  const step = steps.find((one) => one >= wanted);
  if (step === undefined) throw invalid('/w', `w must be a number of pixels from 1 to ${steps.at(-1)}.`);
  return step;
}

function turnOf(asked: unknown): Turn {
  if (asked === undefined) return 0;
  const turn = turns.find((one) => String(one) === asked);
  if (turn === undefined) throw invalid('/rotate', `rotate must be one of ${turns.join(', ')} (degrees clockwise).`);
  return turn;
}

function invalid(pointer: string, message: string): AppError {
  return new AppError('request.invalid', message, { errors: [{ pointer, code: 'invalid', message }] });
}
