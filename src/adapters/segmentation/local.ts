import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import { FairPool, places, type Fairness } from '#src/concurrency/fair-pool.ts';
import type { Segmenter } from '#src/domain/ports/segmenter.ts';
import { segmentInk } from '#src/domain/segment-locally/from-ink.ts';
import { segmentText } from '#src/domain/segment-locally/from-text.ts';
import { readPrompt } from '#src/domain/segment-locally/read-prompt.ts';

/** Side that separates the words of a page of small print. */
const analysisSide = 1_600;

/** Pages whose ink is looked at a time: each is some megabytes in memory, and computes on the event loop. */
const atOnce = 2;

/**
 * Segments by recognized text, else by the shapes of the ink. It does not recognize objects. Owners take turns. Source: docs/decisions/0032,
 * 0277.
 */
export function createLocalSegmenter(images: Pick<ImageCodec, 'raster'>, fairness?: Fairness): Segmenter {
  const pool = new FairPool({ name: 'segmentation', ...places(atOnce), fairness });
  return {
    label: 'local/layout-1',
    async segment({ page, ocr, prompt, maxSegments, owner = '', signal, clock }) {
      const wanted = readPrompt(prompt);
      const ofInk = () =>
        pool.use({ owner, signal, clock }, async () =>
          segmentInk(wanted, await images.raster(page, analysisSide, signal)),
        );
      const found = (ocr === null ? null : segmentText(wanted, ocr)) ?? (await ofInk());
      const best =
        found.segments.length > maxSegments ? found.segments.toSorted((a, b) => b.score - a.score) : found.segments;
      return { ...found, segments: best.slice(0, maxSegments) };
    },
  };
}
