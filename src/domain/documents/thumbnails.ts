import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { Fault } from '#src/domain/fault.ts';
import { thumbnailKey } from '#src/domain/documents/object-key.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import type { DocumentStore } from '#src/domain/ports/documents.ts';
import type { Thumbnails } from '#src/domain/ports/thumbnails.ts';

const longestSide = 320;
const lifetimeSeconds = 3_600;
/** Expiry moves in steps, so that an address stays the same for a while and browsers can cache the picture. */
const stepSeconds = 600;

export interface ThumbnailRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly expires: number;
  readonly signature: string;
}

interface Parts {
  readonly documents: DocumentStore;
  readonly objects: ObjectStore;
  readonly images: ImageCodec;
  readonly secret: Buffer;
  baseUrl(): string;
}

/** Small re-encoded pictures behind signed addresses of the API: made when first asked for, then kept as objects. */
export class SignedThumbnails implements Thumbnails {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  url(document: DocumentRecord): string {
    const now = Math.floor(Date.now() / 1_000);
    const expires = Math.ceil((now + lifetimeSeconds) / stepSeconds) * stepSeconds;
    const { organizationId, _id } = document;
    const query = `expires=${expires}&signature=${this.#sign(organizationId, _id, expires)}`;
    return `${this.#parts.baseUrl()}/media/${organizationId}/${_id}/thumbnail.webp?${query}`;
  }

  /** WebP bytes. Faults: `object.signature_invalid`, `object.expired`, `document.not_found`, and the codec's. */
  async read({ organizationId, documentId, expires, signature }: ThumbnailRequest): Promise<Buffer> {
    const expected = Buffer.from(this.#sign(organizationId, documentId, expires));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Fault('object.signature_invalid', 'This address was not given out by this service.');
    if (expires * 1_000 < Date.now())
      throw new Fault('object.expired', 'This address has expired: read the document again.');
    const { documents, objects, images } = this.#parts;
    const document = await documents.findInOrganization(organizationId, documentId);
    if (document === null) throw new Fault('document.not_found', 'The document is gone.');
    const key = thumbnailKey(document);
    const kept = await objects.get(key);
    if (kept !== null) return kept;
    const original = await objects.get(document.pinnedKey, { ifMatch: document.etag });
    if (original === null) throw new Fault('document.not_found', 'The bytes of the document are gone.');
    const picture = await images.thumbnail(original, longestSide);
    await objects.put(key, picture, 'image/webp').catch((error: unknown) => {
      // Two readers at once: one picture is kept, both are right.
      if (!(error instanceof Fault && error.code === 'object.exists')) throw error;
    });
    return picture;
  }

  #sign(organizationId: string, documentId: string, expires: number): string {
    return createHmac('sha256', this.#parts.secret)
      .update(`thumbnail\n${organizationId}\n${documentId}\n${expires}`)
      .digest('base64url');
  }
}
