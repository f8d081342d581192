import { AppError } from '#src/domain/app-error.ts';
import type { PageImage, PictureSize } from '#src/domain/ports/image-codec.ts';
import { undecodable } from '#src/adapters/images/containers/limits.ts';
import type { HeifRequest } from '#src/adapters/images/heif/heif-thread.ts';
import type { PagePoolParts } from '#src/adapters/images/pdf-pages.ts';
import { heicPackage } from '#src/domain/documents/heif-brand.ts';
import { FairPool } from '#src/concurrency/fair-pool.ts';
import type { PageTurn } from '#src/domain/ports/page-turn.ts';
import { startChild, ThreadCallError, ThreadEndedError } from '#src/adapters/threads/guarded-thread.ts';
import { ComputingSpentError, unlessSpent, withinComputing } from '#src/adapters/threads/limits.ts';

/** Computing time of the process. */
const timeoutMs = 20_000;
/** Computing time of a picture after which it gives way to others. */
const patienceMs = 5_000;
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
  page(bytes: Buffer, turn?: PageTurn): Promise<PageImage>;
  /** The same as WebP. */
  picture(bytes: Buffer, size: PictureSize, turn?: PageTurn): Promise<Buffer>;
}

export function createHeifPages({ fairness, spent }: PagePoolParts = {}): HeifPages {
  const entry = new URL('heif-thread.ts', import.meta.url);
  const pool = new FairPool({
    name: 'heic',
    size,
    maximumLoans,
    idleMs,
    fairness,
    start: () => startChild(entry, 'heif', { memoryMb, patienceMs }),
  });

  const call = async (request: HeifRequest, turn: PageTurn): Promise<unknown> => {
    const { owner = '', signal, clock } = turn;
    const guarded = { spent, turn, work: `${heicPackage.name}/${heicPackage.version} draw`, refusal: notAgain };
    return pool.use({ owner, signal, clock }, async (child, loan) => {
      try {
        // The time counts from when the process has loaded its libraries.
        await withinComputing(child, { ms: timeoutMs, signal }, (limited) => child.call('start', null, limited));
        return await unlessSpent(guarded, () =>
          withinComputing(child, { ms: timeoutMs, signal, loan }, (limited) =>
            child.call(request.action, request, limited),
          ),
        );
      } catch (error) {
        // libheif may have stopped anywhere, so the next file gets a new process.
        void child.end();
        throw heifError(error);
      }
    });
  };

  return {
    async page(bytes, turn = {}) {
      const { png, ...page } = (await call({ action: 'page', bytes }, turn)) as PageImage;
      return { ...page, png: Buffer.from(png) };
    },
    async picture(bytes, pictureSize, turn = {}) {
      return Buffer.from((await call({ action: 'picture', bytes, size: pictureSize }, turn)) as Uint8Array);
    },
  };
}

const notAgain = (): AppError =>
  undecodable(
    'The HEIC used up its computing time or memory twice, so it is not tried again. Send it as JPEG or PNG, or run a workflow on the document in the dashboard.',
  );

function heifError(error: unknown): unknown {
  if (error instanceof ThreadCallError && error.answer === 'image.too_large')
    return new AppError('image.too_large', 'The image is over the limit of 50 megapixels. Send it smaller.', {
      cause: error,
    });
  if (error instanceof ThreadCallError)
    return undecodable('The HEIC is damaged, or its coding is not HEVC. Send it as JPEG or PNG.', error);
  if (error instanceof ComputingSpentError)
    return undecodable('The HEIC took longer than 20 s of computing time. Send it as JPEG or PNG.', error);
  if (error instanceof ThreadEndedError)
    return undecodable('The HEIC needs too much memory. Send it as JPEG or PNG.', error);
  return error;
}
