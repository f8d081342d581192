import { AppError } from '#src/domain/app-error.ts';
import { checkPages, undecodable } from '#src/adapters/images/containers/limits.ts';
import type { PdfFacts, PdfPixels } from '#src/adapters/images/pdf-render.ts';
import { startDeadline } from '#src/adapters/threads/deadline.ts';
import { ThreadCallError, startThread, ThreadEndedError } from '#src/adapters/threads/guarded-thread.ts';
import { createThreadPool } from '#src/adapters/threads/thread-pool.ts';

const timeoutMs = 20_000;
const idleMs = 30_000;
const maximumLoans = 200;

/** Renders PDFs in one worker thread: a page takes up to a second of CPU, and a hostile file may never end. */
export interface PdfPages {
  facts(bytes: Buffer): Promise<PdfFacts>;
  page(bytes: Buffer, index: number, signal?: AbortSignal): Promise<PdfPixels>;
}

export function createPdfPages(): PdfPages {
  const pool = createThreadPool({
    size: 1,
    maximumLoans,
    idleMs,
    start: () => startThread(new URL('pdf-thread.ts', import.meta.url), 'pdf'),
  });

  const call = (action: string, payload: unknown, outer?: AbortSignal): Promise<unknown> =>
    pool.use('pdf', outer, async (thread) => {
      using deadline = startDeadline(timeoutMs, outer, () =>
        undecodable('A page of the PDF took longer than 20 s. Send the page as an image.'),
      );
      try {
        return await thread.call(action, payload, deadline.signal);
      } catch (error) {
        throw pdfFault(error);
      }
    });

  return {
    async facts(bytes) {
      const facts = (await call('facts', { bytes, index: 0 })) as PdfFacts;
      checkPages(facts.pages);
      return facts;
    },
    async page(bytes, index, signal) {
      return (await call('page', { bytes, index }, signal)) as PdfPixels;
    },
  };
}

/** Maps the name of an error of pdfjs-dist. The thread sends no error text, which may quote the document. */
function pdfFault(error: unknown): unknown {
  if (error instanceof ThreadCallError && error.answer === 'PasswordException') {
    return undecodable('The PDF is protected by a password. Remove the protection and send it again.', error);
  }
  if (error instanceof ThreadCallError && error.answer === 'RangeError') {
    return new AppError('request.invalid', 'The PDF has no such page.', { cause: error });
  }
  if (error instanceof ThreadCallError) return undecodable('The PDF is damaged.', error);
  if (error instanceof ThreadEndedError) return undecodable('The PDF could not be rendered.', error);
  return error;
}
