import type { Request, Response, Router } from 'express';
import type { MediaFile, MediaRequest } from '#tools/pictures/signed-media.ts';
import { isKnown } from '#http/revalidate.ts';
import { welcome } from '#http/guard/strangers.ts';
import { AppError } from '#src/domain/app-error.ts';

type Open = (request: MediaRequest) => Promise<MediaFile>;
type PictureAddress = Pick<MediaRequest, 'organizationId' | 'documentId' | 'picture'>;

/** Headers for images from uploads: embeddable in any page, never executed, never sniffed as another type. */
const headers = {
  'content-type': 'image/webp',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** Serves re-encoded images behind signed URLs. They need no credential and contain no uploaded bytes. Source: docs/decisions/0038. */
export function mountMedia(router: Router, open: Open): void {
  router.get('/media/:organizationId/:documentId/thumbnail.webp', async (request, response) => {
    const { organizationId, documentId } = request.params;
    await answer(request, response, { open, address: { organizationId, documentId, picture: 'thumbnail' } });
  });
  router.get('/media/:organizationId/:documentId/pages/:page.webp', async (request, response) => {
    const { organizationId, documentId, page } = request.params;
    if (!/^(0|[1-9]\d{0,3})$/.test(page))
      throw new AppError('request.not_found', 'The page is not a number. Pages are numbered from 0.');
    await answer(request, response, { open, address: { organizationId, documentId, picture: Number(page) } });
  });
}

async function answer(
  request: Request,
  response: Response,
  { open, address }: { readonly open: Open; readonly address: PictureAddress },
): Promise<void> {
  const { expires, signature, w: width, rotate } = request.query;
  const file = await open({ ...address, expires, signature, width, rotate });
  welcome(response);
  const etag = `"${file.etag}"`;
  const fresh = isKnown(request.headers['if-none-match'], etag);
  const bytes = fresh ? null : await file.read();
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'private, max-age=3600, immutable');
  if (bytes === null) response.status(304).end();
  else response.send(bytes);
}
