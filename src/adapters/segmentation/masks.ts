import type { ImageCodec, PageImage } from '#src/domain/ports/image-codec.ts';
import { boxSegment } from '#src/domain/segment-locally/geometry.ts';
import { runsOf, type Mask } from '#src/domain/segment-locally/ink.ts';
import type { Segment } from '#src/domain/ports/segmenter.ts';
import { broken } from '#src/adapters/segmentation/read-answer.ts';

/** Longest side of a stored mask. */
const longestSide = 1_024;
const outlineRows = 64;
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Reads a mask of white on black. Throws `segmentation.failed` for other bytes and for an aspect ratio that is not that of the page. */
export async function decodeMask(
  images: Pick<ImageCodec, 'page' | 'raster'>,
  bytes: Buffer,
  page: PageImage,
): Promise<Mask> {
  if (!bytes.subarray(0, 8).equals(pngStart)) throw broken('a mask is no PNG');
  let picture: PageImage;
  try {
    picture = await images.page(bytes, 0);
  } catch (error) {
    throw broken('a mask is damaged', error);
  }
  checkShape(picture, page);
  const { width, height, pixels } = await images.raster(picture, longestSide);
  return { width, height, bits: pixels.map((tone) => (tone > 127 ? 1 : 0)) };
}

function checkShape(mask: { width: number; height: number }, page: PageImage): void {
  const scale = mask.width / page.width;
  // Tolerates one pixel of rounding.
  if (!(scale > 0) || Math.abs(mask.height - page.height * scale) > 1 + scale)
    throw broken(`a mask has ${mask.width} x ${mask.height} pixels, the page ${page.width} x ${page.height}`);
}

/** Adds box and outline to a mask. Returns null for an empty mask. */
export function maskSegment(mask: Mask, about: { label: string; score: number }): Segment | null {
  const { width, height, bits } = mask;
  const rows: { y: number; left: number; right: number }[] = [];
  for (let y = 0; y < height; y += 1) {
    const left = bits.subarray(y * width, (y + 1) * width).indexOf(1);
    if (left >= 0) rows.push({ y, left, right: bits.subarray(y * width, (y + 1) * width).lastIndexOf(1) + 1 });
  }
  const top = rows[0];
  const last = rows.at(-1);
  if (top === undefined || last === undefined) return null;
  const left = Math.min(...rows.map((row) => row.left)) / width;
  const right = Math.max(...rows.map((row) => row.right)) / width;
  const { box } = boxSegment([left, top.y / height, right - left, (last.y + 1 - top.y) / height], about);
  const step = Math.max(1, Math.ceil(rows.length / outlineRows));
  const shown = rows.filter((_, at) => at % step === 0 || at === rows.length - 1);
  const edge = (side: 'left' | 'right') =>
    shown.flatMap((row): [number, number][] => {
      const end = Math.min(last.y + 1, row.y + step);
      return [
        [row[side] / width, row.y / height],
        [row[side] / width, end / height],
      ];
    });
  return {
    ...about,
    box,
    polygon: [...edge('right'), ...edge('left').toReversed()],
    mask: { width, height, runs: runsOf(bits) },
  };
}
