import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type sirv from 'sirv';
import { html } from '#http/pages/html.ts';
import { sendPage } from '#http/pages/layout.ts';
import { seeOther } from '#http/pages/page-guard.ts';

/** The dashboard as it stands by now. */
interface Bundle {
  prepare(): Promise<unknown>;
  now():
    | { readonly state: 'building' }
    | { readonly state: 'ready'; readonly folder: string }
    | { readonly state: 'failed'; readonly advice: string };
}

export interface PagesParts {
  readonly bundle: Bundle;
  /** Origins that uploads are sent to and images come from, beside this one. */
  objectOrigins(): readonly string[];
  isSignedIn(cookie: string | undefined): Promise<boolean>;
  /** Address of the API, which pictures are linked with; a page may be open under another name of the same machine. */
  baseUrl(): string;
}

/** Addresses that never are pages of the dashboard. */
const others = /^\/(api|mcp|media|oauth|\.well-known)(\/|$)/;
const year = 31_536_000;

/** Lets pages run our scripts alone, and makes them handle text of documents as text. */
function policy(origins: readonly string[]): string {
  const also = origins.map((origin) => ` ${origin}`).join('');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${also}`,
    `connect-src 'self'${also}`,
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

const isPage = (request: Request): boolean =>
  request.method === 'GET' && !others.test(request.path) && request.accepts(['json', 'html']) === 'html';

/** A page that loads itself again until the dashboard is there, or says what to do. */
function sendMeanwhile(response: Response, advice: string | null): void {
  if (advice === null) response.setHeader('retry-after', '1').setHeader('refresh', '1');
  const title = advice === null ? 'One moment' : 'The dashboard is not there';
  const words = advice ?? 'The dashboard is being built, which takes a few seconds at the first start.';
  sendPage(response, { title, status: 503, body: html`<p>${words}</p>` });
}

/**
 * Serves the pages of the dashboard: files with their compressed copies, and for all other addresses of pages `index.html`, in which the
 * dashboard reads the address itself. People without a session go to the sign-in page first. Source: `web.pages`.
 */
export function servePages(parts: PagesParts): RequestHandler {
  const { bundle } = parts;
  let files: { readonly folder: string; readonly send: ReturnType<typeof sirv> } | null = null;
  const dress = (response: ServerResponse, isAsset: boolean): void => {
    const usual = new URL(parts.baseUrl());
    const isThere = response.req.headers.host === usual.host;
    response.setHeader('cache-control', isAsset ? `public, max-age=${year}, immutable` : 'no-cache');
    response.setHeader(
      'content-security-policy',
      policy(isThere ? parts.objectOrigins() : [...parts.objectOrigins(), usual.origin]),
    );
    response.setHeader('cross-origin-opener-policy', 'same-origin');
    response.setHeader('referrer-policy', 'same-origin');
    response.setHeader('permissions-policy', 'camera=(), microphone=(), geolocation=()');
    response.setHeader('vary', 'accept-encoding, cookie');
  };
  const sender = async (folder: string): Promise<ReturnType<typeof sirv>> => {
    const { default: serve } = await import('sirv');
    if (files?.folder !== folder) {
      const send = serve(folder, {
        etag: true,
        brotli: true,
        gzip: true,
        single: true,
        ignores: [/^\/assets\//],
        setHeaders: (response, path) => dress(response, path.startsWith('/assets/')),
      });
      files = { folder, send };
    }
    return files.send;
  };
  return async (request, response, next) => {
    const isFile = /^\/(assets\/|theme\.js$|favicon\.svg$)/.test(request.path);
    if (!isFile && !isPage(request)) {
      next();
      return;
    }
    if (!isFile && !(await parts.isSignedIn(request.headers.cookie))) {
      seeOther(response, `/sign-in?returnTo=${encodeURIComponent(request.originalUrl)}`);
      return;
    }
    void bundle.prepare();
    const found = bundle.now();
    // A page that did not change is answered without its file, and its headers replace those that the browser keeps.
    if (found.state === 'ready' && !isFile) dress(response, false);
    if (found.state === 'ready') (await sender(found.folder))(request, response, () => next());
    else sendMeanwhile(response, found.state === 'failed' ? found.advice : null);
  };
}
