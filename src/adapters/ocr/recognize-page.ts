import { AppError } from '#src/domain/app-error.ts';
import { chosenResult, nextStep, type LadderResult, type LadderStep } from '#src/domain/documents/ocr-ladder.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { OcrAttempt, OcrOptions, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { preparePage, type PreparedPage } from '#src/adapters/ocr/prepare-page.ts';
import { readLayout, type Layout } from '#src/adapters/ocr/tesseract-layout.ts';
import type { TesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';
import { orAbort, startDeadline } from '#src/adapters/threads/deadline.ts';

interface Attempt extends LadderResult {
  readonly layout: Layout;
  readonly ms: number;
}

type Recognize = (step: LadderStep) => Promise<Attempt>;

/**
 * Tries the attempts for a page with one worker, until one is good enough. The timeout covers all attempts and does not include the wait
 * for a worker. An attempt that fails after a success leaves that result, with a warning.
 */
export async function recognizePage(worker: TesseractWorker, page: PageImage, options: OcrOptions): Promise<OcrPage> {
  const late = (): AppError =>
    new AppError('ocr.timeout', `Page ${page.index + 1} took longer than ${options.timeoutMs} ms.`);
  using deadline = startDeadline(options.timeoutMs, options.signal, late);
  const recognize = recognizer(worker, page, deadline.signal);
  const attempts: Attempt[] = [];
  const warnings: string[] = [];
  let step = nextStep(attempts, options.pageSegmentationMode);
  while (step !== null) {
    try {
      attempts.push(await recognize(step));
    } catch (error) {
      options.signal?.throwIfAborted();
      if (attempts.length === 0) throw toOcrError(error);
      warnings.push(
        `Mode ${step.pageSegmentationMode} at ${step.rotation} degrees failed: ${toOcrError(error).detail}`,
      );
      break;
    }
    step = nextStep(attempts, options.pageSegmentationMode);
  }
  return toOcrPage(page, attempts, warnings);
}

/** Prepares each rotation and size once: modes share the image. */
function recognizer(worker: TesseractWorker, page: PageImage, signal: AbortSignal): Recognize {
  let last: { readonly key: string; readonly prepared: PreparedPage } | undefined;
  return async (step) => {
    const started = performance.now();
    const key = `${step.rotation} ${step.longestSide}`;
    if (last?.key !== key) {
      last = { key, prepared: await orAbort(preparePage(page, step.rotation, step.longestSide), signal) };
    }
    const { png, frame } = last.prepared;
    const blocks = await worker.recognize(png, step.pageSegmentationMode, signal);
    const layout = readLayout(blocks, frame);
    const { confidence, characters } = layout;
    return { ...step, confidence, characters, layout, ms: Math.round(performance.now() - started) };
  };
}

function toOcrError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('ocr.failed', 'The text recognition engine stopped unexpectedly. Retry the run.', {
    cause: error,
  });
}

function toOcrPage(page: PageImage, attempts: readonly Attempt[], warnings: readonly string[]): OcrPage {
  const chosen = attempts[chosenResult(attempts)];
  if (chosen === undefined) throw new AppError('ocr.failed', `Page ${page.index + 1} was not recognized.`);
  const { rotation, layout } = chosen;
  const isSideways = rotation === 90 || rotation === 270;
  return {
    index: page.index,
    width: isSideways ? page.height : page.width,
    height: isSideways ? page.width : page.height,
    rotation,
    text: layout.text,
    confidence: layout.confidence,
    lines: layout.lines,
    attempts: attempts.map((attempt) => toOcrAttempt(attempt, attempt === chosen)),
    warnings: layout.characters === 0 ? [...warnings, 'No text was found on this page.'] : warnings,
  };
}

function toOcrAttempt(attempt: Attempt, chosen: boolean): OcrAttempt {
  const { pageSegmentationMode, rotation, longestSide, confidence, characters, ms } = attempt;
  return { pageSegmentationMode, rotation, longestSide, confidence, characters, ms, chosen };
}
