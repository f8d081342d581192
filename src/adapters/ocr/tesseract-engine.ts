import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { AppError } from '#src/domain/app-error.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import { recognizePage } from '#src/adapters/ocr/recognize-page.ts';
import { createTesseractLanguages, modelVariant, type LanguageFolders } from '#src/adapters/ocr/tesseract-languages.ts';
import { startTesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';
import { FairPool, PoolClosedError, type Fairness } from '#src/concurrency/fair-pool.ts';
import { unlessSpent } from '#src/adapters/threads/limits.ts';
import type { SpentWork } from '#src/domain/ports/page-turn.ts';

/** Raise it with every change of preparation or attempts that changes results: kept outcomes of nodes depend on the label. */
const effort = 'ladder-4';

export interface TesseractEngineOptions extends LanguageFolders {
  /** Language of calls that name none. Default: `eng`. */
  readonly language?: string;
  /** Pages that are recognized at once. Default: the number of cores less one, 1 to 4. */
  readonly workers?: number;
  /** Idle time after which a worker ends. Default: 60 s. */
  readonly idleMs?: number;
  /** Pages after which a worker is replaced. Default: 200. */
  readonly pagesPerWorker?: number;
  /** Default: the pool keeps its own. */
  readonly fairness?: Fairness | undefined;
  /** Default: everything is tried again. */
  readonly spent?: SpentWork | undefined;
}

function notAgain(index: number): AppError {
  return new AppError(
    'image.undecodable',
    `Page ${index + 1} used up its computing time or memory in text recognition twice, so it is not tried again. Send a clearer or smaller picture, or run a workflow on the document in the dashboard.`,
  );
}

/** Recognizes text in a pool of threads, which start on first use. Owners take turns. Source: docs/decisions/0020, 0277. */
export function createTesseractEngine(options: TesseractEngineOptions = {}): OcrEngine {
  const { version } = createRequire(import.meta.url)('tesseract.js/package.json') as { version: string };
  const standard = options.language ?? 'eng';
  const languages = createTesseractLanguages(options);
  const label = `tesseract.js/${version} ${modelVariant} ${effort}`;
  const pool = new FairPool({
    name: 'ocr',
    size: options.workers ?? Math.min(4, Math.max(1, availableParallelism() - 1)),
    maximumLoans: options.pagesPerWorker ?? 200,
    idleMs: options.idleMs ?? 60_000,
    fairness: options.fairness,
    start: (language) => startTesseractWorker(language, () => languages.folder(language)),
  });
  let recent: string | null = null;
  return {
    label,
    language: standard,
    installed: () => languages.installed(),
    recent: () => recent,
    async recognize(page, request) {
      const language = request.language ?? standard;
      await languages.folder(language);
      try {
        const { owner = '', signal, clock } = request;
        const guarded = {
          spent: options.spent,
          turn: request,
          // A page that an earlier node changed has another picture.
          work: `${label} ${language} ${request.timeoutMs} ms ${page.index} ${page.png.length}`,
          refusal: () => notAgain(page.index),
        };
        const read = await pool.use({ owner, kind: language, signal, clock }, (worker, loan) =>
          unlessSpent(guarded, () => recognizePage(worker, page, request, loan)),
        );
        recent = language;
        return read;
      } catch (error) {
        if (error instanceof PoolClosedError) {
          throw new AppError('ocr.failed', 'Text recognition is shutting down.', { cause: error });
        }
        throw error;
      }
    },
    async close() {
      await pool.close();
      await languages.close();
    },
  };
}
