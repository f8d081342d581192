import { createRequire } from 'node:module';
import type { TesseractBlock } from '#src/adapters/ocr/tesseract-layout.ts';
import { startThread } from '#src/adapters/threads/guarded-thread.ts';

/** LSTM_ONLY: the models have no legacy part. */
const engineMode = 1;

/**
 * One Tesseract in a worker thread. It drives the worker script of tesseract.js 7.0.0 itself: `createWorker` of the library gives no
 * handle to a thread that cannot start, leaves the promises of an ended thread pending, and throws outside of any promise.
 */
export interface TesseractWorker {
  readonly ended: boolean;
  /** Blocks in reading order, boxes in pixels of `png`. Rejects with the signal's reason, `ThreadCallError` or `ThreadEndedError`; then the worker ends. */
  recognize(png: Buffer, pageSegmentationMode: number, signal: AbortSignal): Promise<readonly TesseractBlock[]>;
  end(): Promise<void>;
}

/** `modelFolder` finds the folder with the models of `language`. They load with the first recognition. */
export function startTesseractWorker(language: string, modelFolder: () => Promise<string>): TesseractWorker {
  const script = createRequire(import.meta.url).resolve('tesseract.js/src/worker-script/node/index.js');
  const thread = startThread(script, 'tesseract');
  let loaded = false;

  const load = async (signal: AbortSignal): Promise<void> => {
    await thread.call('load', { options: { lstmOnly: engineMode, logging: false } }, signal);
    // Without 'none' the library writes the model into the working directory.
    const options = { langPath: await modelFolder(), cacheMethod: 'none', gzip: true, lstmOnly: true };
    await thread.call('loadLanguage', { langs: language.split('+'), options }, signal);
    await thread.call('initialize', { langs: language, oem: engineMode, config: {} }, signal);
    loaded = true;
  };

  return {
    get ended() {
      return thread.ended;
    },
    async recognize(png, pageSegmentationMode, signal) {
      try {
        if (!loaded) await load(signal);
        const answer = await thread.call(
          'recognize',
          {
            image: new Uint8Array(png.buffer, png.byteOffset, png.byteLength),
            // The default of the library is 6, which reads across columns.
            options: { tessedit_pageseg_mode: String(pageSegmentationMode) },
            output: { text: false, blocks: true },
          },
          signal,
        );
        return (answer as { readonly blocks: readonly TesseractBlock[] | null }).blocks ?? [];
      } catch (error) {
        await thread.end();
        throw error;
      }
    },
    end: () => thread.end(),
  };
}
