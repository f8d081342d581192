import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { AppError } from '#src/domain/app-error.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import { recognizePage } from '#src/adapters/ocr/recognize-page.ts';
import { createTesseractLanguages, modelVariant, type LanguageFolders } from '#src/adapters/ocr/tesseract-languages.ts';
import { startTesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';
import { createThreadPool, PoolClosedError } from '#src/adapters/threads/thread-pool.ts';

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
}

/** Recognizes text in a pool of threads, which start on first use. Source: docs/decisions/0020. */
export function createTesseractEngine(options: TesseractEngineOptions = {}): OcrEngine {
  const { version } = createRequire(import.meta.url)('tesseract.js/package.json') as { version: string };
  const standard = options.language ?? 'eng';
  const languages = createTesseractLanguages(options);
  const pool = createThreadPool({
    size: options.workers ?? Math.min(4, Math.max(1, availableParallelism() - 1)),
    maximumLoans: options.pagesPerWorker ?? 200,
    idleMs: options.idleMs ?? 60_000,
    start: (language) => startTesseractWorker(language, () => languages.folder(language)),
  });
  let recent: string | null = null;
  return {
    label: `tesseract.js/${version} ${modelVariant} ${effort}`,
    language: standard,
    installed: () => languages.installed(),
    recent: () => recent,
    async recognize(page, request) {
      const language = request.language ?? standard;
      await languages.folder(language);
      try {
        const read = await pool.use(language, request.signal, (worker) => recognizePage(worker, page, request));
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
