import { AppError } from '#src/domain/app-error.ts';
import type { PageImage, PictureSize } from '#src/domain/ports/image-codec.ts';
import { undecodable } from '#src/adapters/images/containers/limits.ts';
import type { HeifRequest } from '#src/adapters/images/heif/heif-thread.ts';
import { startComputingDeadline } from '#src/adapters/threads/deadline.ts';
import { startChild, ThreadCallError, ThreadEndedError } from '#src/adapters/threads/guarded-thread.ts';
import { createThreadPool } from '#src/adapters/threads/thread-pool.ts';

/** Computing time of the process. */
const timeoutMs = 20_000;
const idleMs = 30_000;
/** The memory of WebAssembly only grows. */
const maximumLoans = 50;
/** Largest resident memory of a process, in MiB: a photo of 12 megapixels takes 270, the largest page 750. */
const memoryMb = 900;
const size = 2;

/**
 * Decodes HEIC in processes of their own: WebAssembly cannot be interrupted, and a hostile file takes any time and any memory. The caller
 * has measured the file. Source: docs/decisions/0216.
 */
export interface HeifPages {
  /** The picture to show as PNG. */
  page(bytes: Buffer, signal?: AbortSignal): Promise<PageImage>;
  /** The same as WebP. */
  picture(bytes: Buffer, size: PictureSize): Promise<Buffer>;
}

export function createHeifPages(): HeifPages {
  const entry = new URL('heif-thread.ts', import.meta.url);
  const pool = createThreadPool({
    size,
    maximumLoans,
    idleMs,
    start: () => startChild(entry, 'heif', { memoryMb }),
  });

  const call = async (request: HeifRequest, outer?: AbortSignal): Promise<unknown> =>
    pool.use('heif', outer, async (child) => {
      try {
        // The time counts from when the process has loaded its libraries.
        const counted = { usedMs: () => child.cpuMs(), reason: tooSlow };
        using starting = startComputingDeadline(timeoutMs, outer, counted);
        await child.call('start', null, starting.signal);
        using deadline = startComputingDeadline(timeoutMs, outer, counted);
        return await child.call(request.action, request, deadline.signal);
      } catch (error) {
        // libheif may have stopped anywhere, so the next file gets a new process.
        void child.end();
        throw heifError(error);
      }
    });

  return {
    async page(bytes, signal) {
      const { png, ...page } = (await call({ action: 'page', bytes }, signal)) as PageImage;
      return { ...page, png: Buffer.from(png) };
    },
    async picture(bytes, pictureSize) {
      return Buffer.from((await call({ action: 'picture', bytes, size: pictureSize })) as Uint8Array);
    },
  };
}

const tooSlow = (): AppError =>
  undecodable('The HEIC took longer than 20 s of computing time. Send it as JPEG or PNG.');

function heifError(error: unknown): unknown {
  if (error instanceof ThreadCallError && error.answer === 'image.too_large')
    return new AppError('image.too_large', 'The image is over the limit of 50 megapixels. Send it smaller.', {
      cause: error,
    });
  if (error instanceof ThreadCallError)
    return undecodable('The HEIC is damaged, or its coding is not HEVC. Send it as JPEG or PNG.', error);
  if (error instanceof ThreadEndedError)
    return undecodable('The HEIC needs too much memory. Send it as JPEG or PNG.', error);
  return error;
}
