import type { TesseractAnswer, TesseractBlock } from '#src/adapters/ocr/tesseract-layout.ts';
import { startThread } from '#src/adapters/threads/guarded-thread.ts';

/** LSTM_ONLY: the models have no legacy part. */
const engineMode = 1;

/** Mean confidence of a line, 0..1, below which Tesseract reads it a second time as light text on dark. Its own default is 0.7. */
const invertThreshold = '0.5';
/** Tiled Otsu. */
const localThreshold = '1';

export interface TesseractRequest {
  readonly pageSegmentationMode: number;
  readonly dotsPerInch: number;
  readonly localThreshold?: true;
  /** Leaves out the second look at weak lines as light text on dark. */
  readonly once?: true;
}

/**
 * One Tesseract in a worker thread. It drives the worker script of tesseract.js 7.0.0 itself: `createWorker` of the library gives no
 * handle to a thread that cannot start, leaves the promises of an ended thread pending, and throws outside of any promise.
 *
 * Calls reject with the signal's reason, `ThreadCallError` or `ThreadEndedError`; then the worker ends.
 */
export interface TesseractWorker {
  readonly ended: boolean;
  /** Blocks in reading order, boxes in pixels of `image`. */
  recognize(
    image: Uint8Array<ArrayBuffer>,
    request: TesseractRequest,
    signal: AbortSignal,
  ): Promise<readonly TesseractBlock[]>;
  /** The same with the layout alone: words are boxes without text. Takes a tenth of the time. */
  layout(
    image: Uint8Array<ArrayBuffer>,
    request: TesseractRequest,
    signal: AbortSignal,
  ): Promise<readonly TesseractBlock[]>;
  /** Computing time that the thread has used. */
  cpuMs(): Promise<number>;
  end(): Promise<void>;
}

/** `modelFolder` finds the folder with the models of `language`. They load with the first recognition. */
export function startTesseractWorker(language: string, modelFolder: () => Promise<string>): TesseractWorker {
  const thread = startThread(new URL('tesseract-thread.ts', import.meta.url), 'tesseract');
  let loaded = false;

  const load = async (signal: AbortSignal): Promise<void> => {
    await thread.call('load', { options: { lstmOnly: engineMode, logging: false } }, signal);
    // Without 'none' the library writes the model into the working directory.
    const options = { langPath: await modelFolder(), cacheMethod: 'none', gzip: true, lstmOnly: true };
    await thread.call('loadLanguage', { langs: language.split('+'), options }, signal);
    await thread.call('initialize', { langs: language, oem: engineMode, config: {} }, signal);
    loaded = true;
  };

  const call = async (
    image: Uint8Array<ArrayBuffer>,
    options: Readonly<Record<string, string>>,
    output: Readonly<Record<string, boolean>>,
    signal: AbortSignal,
  ): Promise<TesseractAnswer> => {
    try {
      if (!loaded) await load(signal);
      return (await thread.call('recognize', { image, options, output }, signal)) as TesseractAnswer;
    } catch (error) {
      await thread.end();
      throw error;
    }
  };

  return {
    get ended() {
      return thread.ended;
    },
    async recognize(image, request, signal) {
      const { blocks } = await call(image, optionsOf(request), { text: false, blocks: false, tsv: true }, signal);
      return blocks ?? [];
    },
    async layout(image, request, signal) {
      const output = { text: false, blocks: false, layoutBlocks: true };
      const { layoutBlocks } = await call(image, optionsOf(request), output, signal);
      return layoutBlocks ?? [];
    },
    cpuMs: () => thread.cpuMs(),
    end: () => thread.end(),
  };
}

/** Variables of Tesseract. The library restores the former ones after each call. */
function optionsOf(request: TesseractRequest): Record<string, string> {
  return {
    // The default of the library is 6, which reads across columns.
    tessedit_pageseg_mode: String(request.pageSegmentationMode),
    user_defined_dpi: String(request.dotsPerInch),
    invert_threshold: request.once === true ? '0' : invertThreshold,
    thresholding_method: request.localThreshold === true ? localThreshold : '0',
  };
}
