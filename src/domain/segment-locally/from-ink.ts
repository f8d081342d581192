import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { Segment, Segmentation } from '#src/domain/ports/segmenter.ts';
import { boxSegment, union, type Box } from '#src/domain/segment-locally/geometry.ts';
import { components, inkOf, runsOf, smear, type Component, type Mask } from '#src/domain/segment-locally/ink.ts';
import { paperOf } from '#src/domain/segment-locally/paper.ts';
import type { LayoutWord, Wanted } from '#src/domain/segment-locally/read-prompt.ts';

/** Score of all regions, since shapes do not identify their content. */
const score = 0.5;
/** Largest horizontal and vertical gap inside a region, in letter heights. */
const gaps = { words: [0.7, 0.3], lines: [3, 0.3], blocks: [3, 1.5] } as const;
const singular: Readonly<Record<LayoutWord, string>> = {
  text: 'text',
  lines: 'line',
  words: 'word',
  blocks: 'block',
  foreground: 'foreground',
  page: 'page',
};

/** Finds layout regions in a picture. Prompts that need text get `unsupportedPrompt`. */
export function segmentInk(wanted: Wanted, raster: GrayRaster): Segmentation {
  if (wanted.kind !== 'layout') return { segments: [], unsupportedPrompt: true };
  return { segments: regions(wanted.what, raster), unsupportedPrompt: false };
}

function regions(what: LayoutWord, raster: GrayRaster): Segment[] {
  const about = { label: singular[what], score };
  if (what === 'page') return [boxSegment(paperOf(raster), about)];
  const ink = inkOf(raster);
  const letters = components(ink).filter(isPrint(ink));
  if (letters.length === 0) return [];
  const scaled = ({ box: [x, y, width, height] }: Component): Box => [
    x / ink.width,
    y / ink.height,
    width / ink.width,
    height / ink.height,
  ];
  const all = boxSegment(union(letters.map(scaled)), about);
  if (what === 'text') return [all];
  if (what === 'foreground')
    return [{ ...all, mask: { width: ink.width, height: ink.height, runs: runsOf(ink.bits) } }];
  const heights = letters.map(({ box }) => box[3]).toSorted((one, other) => one - other);
  const height = heights[heights.length >> 1] ?? 1;
  const [across, down] = gaps[what];
  return components(smear(ink, Math.round(height * across), Math.round(height * down)))
    .filter(isPrint(ink))
    .map((component) => boxSegment(scaled(component), about));
}

/** Returns a filter for components that are neither specks nor the frame of the page. */
function isPrint({ width, height }: Mask): (component: Component) => boolean {
  const least = Math.max(3, Math.max(width, height) / 400);
  return ({ box, area }) =>
    Math.max(box[2], box[3]) >= least && area >= 4 && (box[2] < 0.98 * width || box[3] < 0.9 * height);
}
