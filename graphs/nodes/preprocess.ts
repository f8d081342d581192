import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { PreprocessedFacts } from '#graphs/nodes/facts.ts';
import type { GrayRaster, PageImage } from '#src/domain/ports/image-codec.ts';
import { inkOf } from '#src/domain/segment-locally/ink.ts';
import { paperOf } from '#src/domain/segment-locally/paper.ts';
import { skewOf } from '#src/domain/segment-locally/skew.ts';

const analysisSide = 1_200;
/** Smallest margin to crop, as a fraction of the page. */
const leastCrop = 0.02;

const Params = z.strictObject({
  deskew: z.boolean().default(true).describe('Straighten pages with skewed lines of text'),
  maxAngle: z.number().min(1).max(15).default(15).describe('Largest rotation by deskew, in degrees'),
  crop: z.boolean().default(false).describe('Cut away a darker background around the sheet'),
  denoise: z.boolean().default(false).describe('Median filter over 3 pixels; removes speckles, but also thin strokes'),
  grayscale: z.boolean().default(false).describe('Convert to grayscale'),
  upscaleTo: z
    .int()
    .min(500)
    .max(6_000)
    .optional()
    .describe('Enlarge pages whose longest side has fewer pixels, at most 4 times'),
  binarize: z
    .boolean()
    .default(false)
    .describe('Convert to black and white by a local threshold. Not needed for text recognition, which does it itself'),
});
type Params = z.output<typeof Params>;

interface Change {
  crop?: [number, number, number, number];
  rotate?: number;
  grayscale?: true;
  median?: number;
  scale?: number;
  binarize?: true;
}

export const preprocess = defineNode({
  type: 'preprocess',
  version: 1,
  summary: 'Straighten, clean and enlarge pages for later nodes of the run; the document does not change',
  params: Params,
  reads: [],
  writes: ['preprocessed'],
  outputs: { preprocessed: PreprocessedFacts },
  pure: true,
  defaultTimeoutMs: 600_000,
  example: { deskew: true, crop: true },
  async run({ deps, run, params, signal }) {
    const document = await deps.document(run);
    const pages: ({ index: number } & Change)[] = [];
    for (let index = 0; index < document.pages; index += 1) {
      signal.throwIfAborted();
      const page = await document.page(index, signal);
      const change = await changeOf(page, params, (side) => deps.images.raster(page, side, signal));
      if (Object.keys(change).length > 0) pages.push({ index, ...change });
    }
    const steps = new Set(pages.flatMap(({ index: _index, ...change }) => Object.keys(change)));
    return { update: { preprocessed: { pages, steps: [...steps] } } };
  },
});

async function changeOf(
  page: PageImage,
  params: Params,
  rasterOf: (longestSide: number) => Promise<GrayRaster>,
): Promise<Change> {
  const change: Change = {};
  if (params.deskew || params.crop) {
    const raster = await rasterOf(analysisSide);
    const paper = params.crop ? paperOf(raster) : null;
    if (paper !== null && (1 - paper[2] > leastCrop || 1 - paper[3] > leastCrop)) change.crop = [...paper];
    const skew = params.deskew ? skewOf(inkOf(raster), params.maxAngle) : 0;
    if (skew !== 0) change.rotate = -skew;
  }
  if (params.grayscale) change.grayscale = true;
  if (params.denoise) change.median = 3;
  const longest = Math.max(page.width, page.height);
  if (params.upscaleTo !== undefined && longest < params.upscaleTo)
    change.scale = Math.min(4, params.upscaleTo / longest);
  if (params.binarize) change.binarize = true;
  return change;
}
