import { createHash } from 'node:crypto';
import type { Router } from 'express';

/** A description that is the same for everybody: made once, answered with an ETag. */
export function mountDescription(router: Router, path: string, build: () => Record<string, unknown>): void {
  let made: { text: string; etag: string } | null = null;
  router.get(path, (request, response) => {
    if (made === null) {
      const text = JSON.stringify(build());
      made = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    }
    response.setHeader('etag', made.etag);
    response.setHeader('cache-control', 'public, max-age=60');
    if (request.headers['if-none-match'] === made.etag) response.status(304).end();
    else response.type('application/json').send(made.text);
  });
}
