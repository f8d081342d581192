import type { Router } from 'express';
import { Fault } from '#src/domain/fault.ts';
import type { ThumbnailRequest } from '#src/domain/documents/thumbnails.ts';

/** Re-encoded pictures behind signed addresses: no credential, no uploaded bytes. Source: contracts.md "Document". */
export function mountMedia(router: Router, read: (request: ThumbnailRequest) => Promise<Buffer>): void {
  router.get('/media/:organizationId/:documentId/thumbnail.webp', async (request, response) => {
    const { expires, signature } = request.query;
    if (typeof expires !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(expires))
      throw new Fault('object.signature_invalid', 'This address was not given out by this service.');
    const { organizationId, documentId } = request.params;
    const picture = await read({ organizationId, documentId, expires: Number(expires), signature });
    response.setHeader('cache-control', 'private, max-age=3600, immutable');
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cross-origin-resource-policy', 'cross-origin');
    response.type('image/webp').send(picture);
  });
}
