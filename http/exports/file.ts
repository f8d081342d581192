import { dispositionOf } from '#src/domain/documents/disposition.ts';
import type { Request, Response } from 'express';
import type { Sent } from '#http/bind.ts';
import { writeParts } from '#http/exports/write-parts.ts';

/** Headers for text of uploads: a browser saves it, never executes it, and never takes it for another type. */
const headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
} as const;

/** Streams the file of an outcome. Its first part is made before the headers are sent, so that early errors are answered as usual. */
export async function sendFile(
  _request: Request,
  response: Response,
  _output: unknown,
  { outcome: { file }, signal, logger }: Sent,
): Promise<boolean> {
  if (file === undefined) return false;
  const parts = file.parts[Symbol.asyncIterator]();
  const first = await parts.next();
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-disposition', dispositionOf('attachment', file.name));
  if (file.languages.length > 0) response.setHeader('content-language', file.languages.join(', '));
  response.type(file.contentType);
  const rest = { [Symbol.asyncIterator]: () => parts };
  try {
    response.write(first.done === true ? '' : first.value);
    if (await writeParts(response, rest, signal)) response.end();
  } catch (error) {
    // Headers are sent: an aborted connection tells the client that parts are missing.
    response.destroy();
    if (!signal.aborted) logger.warn({ err: error }, 'a file was not sent to its end');
  } finally {
    await parts.return?.();
  }
  return true;
}
