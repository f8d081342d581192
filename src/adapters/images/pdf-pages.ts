import { createRequire } from 'node:module';
import { AppError, InkgraphError } from '#src/domain/app-error.ts';
import { checkPages, undecodable } from '#src/adapters/images/containers/limits.ts';
import type { PdfFacts } from '#src/adapters/images/pdf-render.ts';
import type { Drawn, PdfRequest } from '#src/adapters/images/pdf-thread.ts';
import type { PageText } from '#src/domain/ports/image-codec.ts';
import type { PageImage, PictureSize } from '#src/domain/ports/image-codec.ts';
import type { PageTurn, SpentWork } from '#src/domain/ports/page-turn.ts';
import { FairPool, type Fairness } from '#src/concurrency/fair-pool.ts';
import {
  startChild,
  ThreadCallError,
  ThreadEndedError,
  type GuardedThread,
} from '#src/adapters/threads/guarded-thread.ts';
import { ComputingSpentError, unlessSpent, withinComputing } from '#src/adapters/threads/limits.ts';

/** Computing time of the process. */
const timeoutMs = 20_000;
/** Computing time: most PDFs tell their facts in some 50 ms. A slower one goes on in the other lane, so that it delays nobody's ack. */
const quickMs = 1_000;
/** Computing time of a page after which it gives way to pages that take less, as most do. */
const patienceMs = 3_000;
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
 * an ack waits for, are read in the quick lane: one call of an owner at a time. Pages, and facts that take longer, go through the other lane.
 * Owners take turns in both. Source: docs/decisions/0068, 0277.
 */
export interface PdfPages {
  facts(bytes: Buffer, turn?: PageTurn): Promise<PdfFacts>;
  /** A page as PNG. */
  page(bytes: Buffer, index: number, turn?: PageTurn): Promise<PageImage>;
  /** Text that the page states; null without any. */
  text(bytes: Buffer, index: number, turn?: PageTurn): Promise<PageText | null>;
  /** A page as WebP. */
  picture(bytes: Buffer, index: number, size: PictureSize, turn?: PageTurn): Promise<Buffer>;
}

export interface PagePoolParts {
  /** Default: the pools keep their own. */
  readonly fairness?: Fairness | undefined;
  /** Default: everything is tried again. */
  readonly spent?: SpentWork | undefined;
}

type Drawing = Extract<PdfRequest, { readonly action: 'page' | 'picture' }>;

class SlowError extends InkgraphError {}

/** Raise it with every change that lets pages through that used up their limits before. */
const effort = 1;

function decoderLabel(): string {
  const { version } = createRequire(import.meta.url)('pdfjs-dist/package.json') as { version: string };
  return `pdfjs-dist/${version} ${effort}`;
}

/** Page pictures and PNGs are the same drawing. */
function workOf(request: PdfRequest): string {
  if (request.action === 'facts') return 'facts';
  const work = request.action === 'text' ? 'text' : `draw${request.anySize === true ? ' any size' : ''}`;
  return `${work} ${request.index}`;
}

function notAgain(request: PdfRequest): AppError {
  const [page, pages] =
    request.action === 'facts' ? ['The first page', 'its pages'] : [`Page ${request.index + 1}`, 'the page'];
  return undecodable(
    `${page} of the PDF used up its computing time or memory twice, so it is not tried again. Send ${pages} as images, or run a workflow on the document in the dashboard.`,
  );
}

const slow = (): SlowError => new SlowError('the facts take longer');

async function orSlow(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ComputingSpentError ? slow() : error;
  }
}

class Lane {
  readonly #pool: FairPool<GuardedThread>;
  readonly #spent: SpentWork | undefined;
  readonly #label = decoderLabel();
  readonly #started = new WeakSet<GuardedThread>();

  constructor(name: string, size: number, { fairness, spent }: PagePoolParts) {
    const entry = new URL('pdf-thread.ts', import.meta.url);
    this.#spent = spent;
    this.#pool = new FairPool({
      name,
      size,
      maximumLoans,
      idleMs,
      fairness,
      start: (kind) =>
        startChild(entry, 'pdf', { memoryMb: kind === 'large' ? memoryMb.large : memoryMb.small, patienceMs }),
    });
  }

  /** `ms`: computing time of the process. */
  async call(request: PdfRequest, turn: PageTurn, ms: number): Promise<unknown> {
    const kind = request.bytes.length > largeBytes ? 'large' : 'small';
    const { owner = '', signal, clock } = turn;
    const guarded = {
      spent: this.#spent,
      turn,
      work: `${this.#label} ${workOf(request)}`,
      refusal: () => notAgain(request),
    };
    return this.#pool.use({ owner, kind, signal, clock }, async (child, loan) => {
      try {
        await this.#start(child, signal);
        // Facts that take longer, also where the machine is busy, move to the other lane.
        const stuck = ms < timeoutMs ? { stuck: slow } : {};
        const work = () =>
          withinComputing(child, { ms, signal, loan, ...stuck }, (limited) =>
            child.call(request.action, request, limited),
          );
        return await unlessSpent(guarded, () => (ms < timeoutMs ? orSlow(work()) : work()));
      } catch (error) {
        throw pdfError(error);
      }
    });
  }

  /** The time of a call counts from when the process has loaded its libraries. */
  async #start(child: GuardedThread, signal: AbortSignal | undefined): Promise<void> {
    if (this.#started.has(child)) return;
    await withinComputing(child, { ms: timeoutMs, signal }, (limited) => child.call('start', null, limited));
    this.#started.add(child);
  }
}

export function createPdfPages(parts: PagePoolParts = {}): PdfPages {
  const quick = new Lane('pdf-facts', 1, parts);
  const pages = new Lane('pdf', 2, parts);
  const patiently = (request: PdfRequest, turn: PageTurn): Promise<unknown> => pages.call(request, turn, timeoutMs);

  /** Pictures over the limit of pixels take a second call. A page whose pictures take more memory than it may have stays as it is without them. */
  const drawn = async <Result>(request: Drawing, turn: PageTurn): Promise<Result> => {
    const first = (await patiently(request, turn)) as Drawn<Result>;
    if (!first.losses.includes('picture_too_large')) return first.result;
    try {
      return ((await patiently({ ...request, anySize: true }, turn)) as Drawn<Result>).result;
    } catch (error) {
      turn.signal?.throwIfAborted();
      if (error instanceof AppError) return first.result;
      throw error;
    }
  };

  const factsOf = async (bytes: Buffer, turn: PageTurn): Promise<PdfFacts> => {
    const request = { action: 'facts', bytes } as const;
    try {
      return (await quick.call(request, turn, quickMs)) as PdfFacts;
    } catch (error) {
      if (!(error instanceof SlowError)) throw error;
      return (await patiently(request, turn)) as PdfFacts;
    }
  };

  return {
    async facts(bytes, turn = {}) {
      const facts = await factsOf(bytes, turn);
      checkPages(facts.pages);
      return facts;
    },
    async page(bytes, index, turn = {}) {
      const { png, ...page } = await drawn<PageImage>({ action: 'page', bytes, index }, turn);
      return { ...page, png: Buffer.from(png) };
    },
    async text(bytes, index, turn = {}) {
      return (await patiently({ action: 'text', bytes, index }, turn)) as PageText | null;
    },
    async picture(bytes, index, size, turn = {}) {
      return Buffer.from(await drawn<Uint8Array>({ action: 'picture', bytes, index, size }, turn));
    },
  };
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
  if (error instanceof ComputingSpentError)
    return undecodable('A page of the PDF took longer than 20 s of computing time. Send the page as an image.', error);
  if (error instanceof ThreadEndedError)
    return undecodable('The PDF needs too much memory. Send its pages as images.', error);
  return error;
}
