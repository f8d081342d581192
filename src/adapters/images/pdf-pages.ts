import { AppError, InkgraphError } from '#src/domain/app-error.ts';
import { checkPages, undecodable } from '#src/adapters/images/containers/limits.ts';
import type { PdfFacts } from '#src/adapters/images/pdf-render.ts';
import type { Drawn, PdfRequest } from '#src/adapters/images/pdf-thread.ts';
import type { PageText } from '#src/domain/ports/image-codec.ts';
import type { PageImage, PictureSize } from '#src/domain/ports/image-codec.ts';
import { startComputingDeadline, startDeadline } from '#src/adapters/threads/deadline.ts';
import { startChild, ThreadCallError, ThreadEndedError } from '#src/adapters/threads/guarded-thread.ts';
import { createThreadPool } from '#src/adapters/threads/thread-pool.ts';

/** Computing time of the process. */
const timeoutMs = 20_000;
/** Most PDFs tell their facts in some 50 ms. A slower one goes on in the other lane, so that it delays nobody's ack. */
const quickMs = 1_000;
const idleMs = 30_000;
const maximumLoans = 200;
/**
 * Largest resident memory of a process, in MiB; the libraries alone take 150. A colour page of A4 at 600 dpi takes 580 to decode, and its
 * file has more than 2 MiB.
 */
const memoryMb = { small: 480, large: 720 } as const;
const largeBytes = 2 * 1_048_576;

/**
 * Reads PDFs in processes of their own: a page takes up to a second of CPU, and a hostile file takes any time and any memory. Facts, which
 * an ack waits for, are read in the quick lane: two processes, one call of an owner at a time. Pages, and facts that take longer, go through
 * the other lane. Source: docs/decisions/0068.
 */
export interface PdfPages {
  /** `owner`: on whose behalf, such as an organization. */
  facts(bytes: Buffer, owner?: string): Promise<PdfFacts>;
  /** A page as PNG. */
  page(bytes: Buffer, index: number, signal?: AbortSignal): Promise<PageImage>;
  /** Text that the page states; null without any. */
  text(bytes: Buffer, index: number, signal?: AbortSignal): Promise<PageText | null>;
  /** A page as WebP. */
  picture(bytes: Buffer, index: number, size: PictureSize): Promise<Buffer>;
}

type Drawing = Extract<PdfRequest, { readonly action: 'page' | 'picture' }>;

class SlowError extends InkgraphError {}

type Lane = ReturnType<typeof openLane>;

function openLane(size: number) {
  const entry = new URL('pdf-thread.ts', import.meta.url);
  return createThreadPool({
    size,
    maximumLoans,
    idleMs,
    start: (kind) => startChild(entry, 'pdf', { memoryMb: kind === 'large' ? memoryMb.large : memoryMb.small }),
  });
}

const tooSlow = (): AppError =>
  undecodable('A page of the PDF took longer than 20 s of computing time. Send the page as an image.');

async function callIn(lane: Lane, request: PdfRequest, { quickMs: quick, outer }: Limit): Promise<unknown> {
  const isLarge = request.bytes.length > largeBytes || ('anySize' in request && request.anySize);
  return lane.use(isLarge ? 'large' : 'small', outer, async (child) => {
    try {
      // The time counts from when the process has loaded its libraries.
      const counted = { usedMs: () => child.cpuMs(), reason: tooSlow };
      using starting = startComputingDeadline(timeoutMs, outer, counted);
      await child.call('start', null, starting.signal);
      using deadline =
        quick === undefined
          ? startComputingDeadline(timeoutMs, outer, counted)
          : startDeadline(quick, outer, () => new SlowError('the facts take longer'));
      return await child.call(request.action, request, deadline.signal);
    } catch (error) {
      throw pdfError(error);
    }
  });
}

interface Limit {
  /** Real time after which a call moves to the other lane; absent there, where computing time counts. */
  readonly quickMs?: number;
  readonly outer?: AbortSignal | undefined;
}

export function createPdfPages(): PdfPages {
  const quick = openLane(2);
  const slow = openLane(2);
  const owners = new OwnerTurns();
  const patiently = (request: PdfRequest, outer?: AbortSignal): Promise<unknown> => callIn(slow, request, { outer });

  /** Pictures over the limit of pixels take a second call, with more memory. A page that cannot have it stays as it is without them. */
  const drawn = async <Result>(request: Drawing, outer?: AbortSignal): Promise<Result> => {
    const first = (await patiently(request, outer)) as Drawn<Result>;
    if (!first.losses.includes('picture_too_large')) return first.result;
    try {
      return ((await patiently({ ...request, anySize: true }, outer)) as Drawn<Result>).result;
    } catch (error) {
      outer?.throwIfAborted();
      if (error instanceof AppError) return first.result;
      throw error;
    }
  };

  const factsOf = async (bytes: Buffer, owner: string): Promise<PdfFacts> => {
    const request = { action: 'facts', bytes } as const;
    try {
      return (await owners.inTurn(owner, () => callIn(quick, request, { quickMs }))) as PdfFacts;
    } catch (error) {
      if (!(error instanceof SlowError)) throw error;
      return (await patiently(request)) as PdfFacts;
    }
  };

  return {
    async facts(bytes, owner = '') {
      const facts = await factsOf(bytes, owner);
      checkPages(facts.pages);
      return facts;
    },
    async page(bytes, index, signal) {
      const { png, ...page } = await drawn<PageImage>({ action: 'page', bytes, index }, signal);
      return { ...page, png: Buffer.from(png) };
    },
    async text(bytes, index, signal) {
      return (await patiently({ action: 'text', bytes, index }, signal)) as PageText | null;
    },
    async picture(bytes, index, size) {
      return Buffer.from(await drawn<Uint8Array>({ action: 'picture', bytes, index, size }));
    },
  };
}

/** Gives each owner one turn at a time, in order. */
class OwnerTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  async inTurn<Value>(owner: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(owner);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    this.#last.set(owner, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(owner) === mine) this.#last.delete(owner);
    }
  }
}

/** Maps the name of an error of pdfjs-dist. The thread sends no error text, which may quote the document. */
function pdfError(error: unknown): unknown {
  if (error instanceof ThreadCallError && error.answer === 'PasswordException') {
    return undecodable('The PDF is protected by a password. Remove the protection and send it again.', error);
  }
  if (error instanceof ThreadCallError && error.answer === 'StreamTooLongError') {
    return undecodable('A part of the PDF unpacks to more than 64 MiB. Send its pages as images.', error);
  }
  if (error instanceof ThreadCallError && error.answer === 'RangeError') {
    return new AppError('request.invalid', 'The PDF has no such page.', { cause: error });
  }
  if (error instanceof ThreadCallError && error.answer === 'image.too_large')
    return new AppError('image.too_large', 'The image is over the limit of 50 megapixels. Send it smaller.', {
      cause: error,
    });
  if (error instanceof ThreadCallError) return undecodable('The PDF is damaged.', error);
  if (error instanceof ThreadEndedError)
    return undecodable('The PDF needs too much memory. Send its pages as images.', error);
  return error;
}
