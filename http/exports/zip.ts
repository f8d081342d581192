import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type * as yazl from 'yazl';

// The library is for the first zip.
const load = createRequire(import.meta.url);

export interface ZipEntry {
  /** Path in the zip, with slashes. */
  readonly path: string;
  readonly modifiedAt: Date;
  /** false for bytes that are compressed already. */
  readonly isCompressible: boolean;
  content(): AsyncIterable<string | Buffer>;
}

/**
 * A zip, written as fast as its reader takes the parts: one entry is open at a time, and the next one is asked for when it has been
 * written. Zip64 where it is needed. Source: APPNOTE 6.3.10, docs/decisions/0160.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const { ZipFile } = load('yazl') as typeof yazl;
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const ended = new AbortController();
  zip.on('error', (error: Error) => output.destroy(error));
  const filling = fill(zip, entries, ended.signal).catch((error: unknown) => {
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    yield* output as AsyncIterable<Buffer>;
  } finally {
    ended.abort(new Error('the reader of a zip has gone'));
    await filling;
  }
}

async function fill(zip: yazl.ZipFile, entries: AsyncIterable<ZipEntry>, ended: AbortSignal): Promise<void> {
  for await (const entry of entries) {
    if (ended.aborted) return;
    await written(zip, entry, ended);
  }
  zip.end();
}

/** Settles when the content of an entry has been read to its end. */
function written(zip: yazl.ZipFile, entry: ZipEntry, ended: AbortSignal): Promise<void> {
  const { path, modifiedAt: mtime, isCompressible: compress } = entry;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  zip.addReadStreamLazy(path, { mtime, compress }, (open) => {
    const content = Readable.from(entry.content(), { objectMode: false, signal: ended });
    content.once('end', resolve);
    content.once('error', reject);
    open(null, content);
  });
  const stop = (): void => reject(ended.reason as Error);
  ended.addEventListener('abort', stop, { once: true });
  return promise.finally(() => ended.removeEventListener('abort', stop));
}
