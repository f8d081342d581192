import { AppError } from '#src/domain/app-error.ts';
import {
  chosenResult,
  firstStep,
  fullSide,
  isGood,
  isProbe,
  nextStep,
  probeSides,
  type LadderResult,
  type LadderStep,
  type PageSigns,
} from '#src/domain/documents/ocr-ladder.ts';
import { densestPart, linesOf, signInk, signSide } from '#src/domain/documents/page-signs.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { OcrAttempt, OcrOptions, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { onAskewPage } from '#src/adapters/ocr/deskew.ts';
import { cut, framed, preparePage, turn, type PreparedPage } from '#src/adapters/ocr/prepare-page.ts';
import { readMissed } from '#src/adapters/ocr/read-missed.ts';
import { shrink } from '#src/adapters/ocr/shrink.ts';
import { countWords, readLayout, type Layout } from '#src/adapters/ocr/tesseract-layout.ts';
import type { TesseractRequest, TesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';
import type { Loan } from '#src/concurrency/fair-pool.ts';
import { orAbort } from '#src/adapters/threads/deadline.ts';
import { ComputingSpentError, withinComputing } from '#src/adapters/threads/limits.ts';

interface Attempt extends LadderResult {
  readonly layout: Layout;
  /** The layout on the levelled and turned page that was recognized. */
  readonly seen: Layout;
  readonly ms: number;
}

/** One page in the hands of a worker. */
interface Reader {
  recognize(step: LadderStep): Promise<Attempt>;
  signs(): Promise<PageSigns>;
  /** The attempt with what it missed. */
  complete(attempt: Attempt): Promise<Attempt>;
}

const oneBlock = 6;

/**
 * Tries the attempts for a page with one worker, until one is good enough. A blank page takes none. The timeout covers the
 * computing time of all attempts. An attempt that fails after a success leaves that result, with a warning.
 */
export async function recognizePage(
  worker: TesseractWorker,
  page: PageImage,
  options: OcrOptions,
  loan?: Loan,
): Promise<OcrPage> {
  const { timeoutMs, signal: outer } = options;
  const late = (cause?: unknown): AppError =>
    new AppError('ocr.timeout', `Page ${page.index + 1} took longer than ${timeoutMs} ms of computing time.`, {
      cause,
    });
  const attempts: Attempt[] = [];
  const warnings: string[] = [];
  try {
    await withinComputing(worker, { ms: timeoutMs, signal: outer, loan, stuck: late }, async (signal) => {
      const prepared = await orAbort(preparePage(page, fullSide), signal);
      if (prepared.blank) return;
      const reader = readerOf(worker, prepared, signal);
      await climb(reader, attempts, options.pageSegmentationMode);
      if (options.pageSegmentationMode === undefined) await complete(reader, attempts);
    });
  } catch (error) {
    outer?.throwIfAborted();
    const failure = error instanceof ComputingSpentError ? late(error) : toOcrError(error);
    if (attempts.length === 0) throw failure;
    warnings.push(`Attempt ${attempts.length + 1} failed: ${failure.detail}`);
  }
  return toOcrPage(page, attempts, warnings);
}

/** Adds each attempt to `attempts` as soon as it has succeeded. */
async function climb(reader: Reader, attempts: Attempt[], fixedMode?: number): Promise<void> {
  const first = await reader.recognize(firstStep(fixedMode));
  attempts.push(first);
  if (fixedMode !== undefined || isGood(first)) return;
  const signs = await reader.signs();
  for (let step = nextStep(attempts, signs); step !== null; step = nextStep(attempts, signs))
    attempts.push(await reader.recognize(step));
}

/** Replaces the attempt to keep by one that has what it missed. */
async function complete(reader: Reader, attempts: Attempt[]): Promise<void> {
  const at = chosenResult(attempts);
  const chosen = attempts[at];
  if (chosen !== undefined) attempts[at] = await reader.complete(chosen);
}

function readerOf(worker: TesseractWorker, page: PreparedPage, signal: AbortSignal): Reader {
  const { raster, tone, dotsPerInch } = page;
  const upright = framed(raster, tone);
  const inkOnce = async () => signInk(await orAbort(shrink(raster, signSide), signal));
  let ink: ReturnType<typeof inkOnce> | undefined;

  const imageOf = async (step: LadderStep) => {
    if (step.rotation === 0 && !isProbe(step)) return upright;
    const part = isProbe(step) ? cut(raster, densestPart(await (ink ??= inkOnce()), probeSize(page, step))) : raster;
    return framed(turn(part, step.rotation), tone);
  };

  return {
    async recognize(step) {
      const started = performance.now();
      const { pgm, frame } = await imageOf(step);
      const found = readLayout(await worker.recognize(pgm, requestOf(step, dotsPerInch), signal), frame);
      const layout = isProbe(step) ? found : onAskewPage(found, page, step.rotation);
      const { confidence, words, characters } = layout;
      return {
        ...step,
        confidence,
        words,
        characters,
        layout,
        seen: found,
        ms: Math.round(performance.now() - started),
      };
    },
    async complete(attempt) {
      const started = performance.now();
      const { rotation, seen: layoutSeen } = attempt;
      const known = rotation === 0 ? page.ink : null;
      const read = { raster: turn(raster, rotation), tone, dotsPerInch, layout: layoutSeen, ink: known };
      const seen = await readMissed(worker, read, signal);
      const layout = onAskewPage(seen, page, attempt.rotation);
      const { confidence, words, characters } = layout;
      const ms = attempt.ms + Math.round(performance.now() - started);
      return { ...attempt, confidence, words, characters, layout, seen, ms };
    },
    async signs() {
      const blocks = await worker.layout(upright.pgm, { pageSegmentationMode: oneBlock, dotsPerInch }, signal);
      return { lines: linesOf(await (ink ??= inkOnce())), blockWords: countWords(blocks) };
    },
  };
}

/** A probe is compared with others, so it may miss light text on dark. */
function requestOf(step: LadderStep, dotsPerInch: number): TesseractRequest {
  const { pageSegmentationMode, localThreshold } = step;
  return {
    pageSegmentationMode,
    dotsPerInch,
    ...(localThreshold !== undefined && { localThreshold }),
    ...(isProbe(step) && { once: true }),
  };
}

/** A probe holds some lines of text, whose direction depends on the rotation. */
function probeSize({ raster: { width, height } }: PreparedPage, { rotation }: LadderStep) {
  const { along, across } = probeSides;
  const isSideways = rotation === 90 || rotation === 270;
  return { width: (isSideways ? across : along) / width, height: (isSideways ? along : across) / height };
}

const nothing: Layout = { lines: [], paragraphs: [], text: '', confidence: 0, words: 0, characters: 0 };

function toOcrError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('ocr.failed', 'The text recognition engine stopped unexpectedly. Retry the run.', {
    cause: error,
  });
}

function toOcrPage(page: PageImage, attempts: readonly Attempt[], warnings: readonly string[]): OcrPage {
  const chosen = attempts[chosenResult(attempts)];
  const { rotation, layout } = chosen ?? { rotation: 0, layout: nothing };
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
    ...(warnings.length > 0 && { losses: ['recognition_incomplete'] }),
  };
}

function toOcrAttempt(attempt: Attempt, chosen: boolean): OcrAttempt {
  const { layout: _layout, seen: _seen, words: _words, ...outcome } = attempt;
  return { ...outcome, chosen };
}
