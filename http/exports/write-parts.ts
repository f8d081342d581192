import { once } from 'node:events';
import type { Response } from 'express';

/** Writes until the end, as fast as the client reads. False: the client went away. */
export async function writeParts(
  response: Response,
  parts: AsyncIterable<string | Buffer>,
  gone: AbortSignal,
): Promise<boolean> {
  for await (const part of parts) {
    if (gone.aborted) return false;
    if (!response.write(part)) await once(response, 'drain', { signal: gone });
  }
  return true;
}
