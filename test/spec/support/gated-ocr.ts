import sharp from 'sharp';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import { pageOf } from '#test/support/records.ts';

/** A TIFF of small blank pages: the engine of these tests says what they have. */
export async function blankTiff(pages: number, shade = 255): Promise<Buffer> {
  const background = { r: shade, g: shade, b: shade };
  const page = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer();
  return sharp(
    Array.from({ length: pages }, () => page),
    { join: { animated: true } },
  )
    .tiff({ compression: 'deflate' })
    .toBuffer();
}

export const textOf = (index: number): string => `words of page ${index}`;

/**
 * Engine that reads a page when the test lets it. A run reads one page after the other, and stores each before it asks for the next: when page n
 * is asked for, n pages are stored.
 */
export function gatedOcr() {
  let allowed = 0;
  let failure: Error | null = null;
  let asked: number[] = [];
  const waiting = new Set<() => void>();
  const stir = (): void => {
    for (const wake of waiting) wake();
  };
  const until = async (holds: () => boolean, signal?: AbortSignal): Promise<void> => {
    signal?.addEventListener('abort', stir, { once: true });
    while (!holds()) {
      signal?.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  };
  const engine: OcrEngine = {
    label: 'gated/1',
    language: 'eng',
    async recognize({ index }, { signal }) {
      asked.push(index);
      stir();
      await until(() => index < allowed || failure !== null, signal);
      if (index >= allowed && failure !== null) throw failure;
      return pageOf(textOf(index), index);
    },
    installed: () => ['eng'],
    recent: () => null,
    close: async () => undefined,
  };
  return {
    engine,
    /** Lets the first `pages` pages of a document be read, and settles when a run asks for the one after them: they are stored. */
    async read(pages: number): Promise<void> {
      allowed = pages;
      stir();
      await until(() => asked.includes(pages));
    },
    /** Pages that were asked for, in that order. */
    asked: (): readonly number[] => asked,
    /** Lets all pages be read. */
    finish(): void {
      allowed = Number.POSITIVE_INFINITY;
      stir();
    },
    /** The page that is not allowed yet fails. */
    fail(error: Error): void {
      failure = error;
      stir();
    },
    /** Begins anew for the next document. */
    reset(): void {
      [allowed, failure, asked] = [0, null, []];
    },
  };
}
