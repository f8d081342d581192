import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Segmenter } from '#src/domain/ports/segmenter.ts';
import { segmentInk } from '#src/domain/segment-locally/from-ink.ts';
import { segmentText } from '#src/domain/segment-locally/from-text.ts';
import { readPrompt } from '#src/domain/segment-locally/read-prompt.ts';

/** Side that separates the words of a page of small print. */
const analysisSide = 1_600;

/** Segments by recognized text, else by the shapes of the ink. It does not recognize objects. Source: docs/decisions/0032. */
export function createLocalSegmenter(images: Pick<ImageCodec, 'raster'>): Segmenter {
  return {
    label: 'local/layout-1',
    async segment({ page, ocr, prompt, maxSegments, signal }) {
      const wanted = readPrompt(prompt);
      const fromText = ocr === null ? null : segmentText(wanted, ocr);
      const found = fromText ?? segmentInk(wanted, await images.raster(page, analysisSide, signal));
      const best =
        found.segments.length > maxSegments ? found.segments.toSorted((a, b) => b.score - a.score) : found.segments;
      return { ...found, segments: best.slice(0, maxSegments) };
    },
  };
}
