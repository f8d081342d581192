import type { Sharp } from 'sharp';
import type { GrayRaster, PageImage, PageTransform } from '#src/domain/ports/image-codec.ts';
import { inkOf } from '#src/domain/segment-locally/ink.ts';
import { maximumPixels } from '#src/adapters/images/containers/limits.ts';
import { finishPage, openImage, orImageError } from '#src/adapters/images/decode.ts';

/** Gray pixels, at most `longestSide` on the longest side. */
export async function toRaster({ png }: PageImage, longestSide: number): Promise<GrayRaster> {
  const pipeline = (await openImage(png))
    .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
    .toColourspace('b-w');
  const { data, info } = await orImageError(pipeline.raw().toBuffer({ resolveWithObject: true }));
  return { width: info.width, height: info.height, pixels: new Uint8Array(data) };
}

/**
 * Runs each step as a pipeline of its own, because sharp reorders the steps of one pipeline. Keeps the density of the page: text
 * recognition measures columns in inches.
 */
export async function transformPage(page: PageImage, change: PageTransform): Promise<PageImage> {
  const { density } = await orImageError((await openImage(page.png)).metadata());
  let current = page;
  const step = async (make: (image: Sharp, page: PageImage) => Sharp | Promise<Sharp>): Promise<void> => {
    const changed = await make(await openImage(current.png), current);
    current = await finishPage(density === undefined ? changed : changed.withDensity(density), page.index);
  };
  const { outlines, crop, rotate = 0, median, scale = 1, keepPolygons } = change;
  if (outlines !== undefined) await step((image) => outlined(image, outlines));
  if (crop !== undefined) await step((image, { width, height }) => image.extract(pixelsOf(crop, width, height)));
  if (rotate !== 0) await step(async (image) => image.rotate(rotate, { background: await paperTone(current) }));
  if (change.grayscale === true) await step((image) => image.toColourspace('b-w'));
  if (median !== undefined) await step((image) => image.median(median));
  if (scale !== 1)
    await step((image, { width, height }) => {
      const most = Math.sqrt(maximumPixels / (width * height));
      return image.resize({ width: Math.max(1, Math.floor(width * Math.min(scale, most))), kernel: 'cubic' });
    });
  if (change.binarize === true) await step(() => blackAndWhite(current));
  if (keepPolygons !== undefined)
    await step((image, { width, height }) => keep(image, keepPolygons, { width, height }));
  return page.losses === undefined ? current : { ...current, losses: page.losses };
}

const red = Buffer.from([221, 0, 0]);

/** Draws boxes a little outside of what they hold. Lines are as thick as the page needs when it is shown small. */
async function outlined(image: Sharp, boxes: readonly (readonly number[])[]): Promise<Sharp> {
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  const raw = await orImageError(image.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }));
  const { width, height, channels } = raw.info;
  const line = Math.max(2, Math.round(Math.max(width, height) / 500));
  const paint = (left: number, top: number, right: number, bottom: number): void => {
    const from = Math.max(0, left);
    const count = Math.max(0, Math.min(width, right) - from);
    for (let row = Math.max(0, top); row < Math.min(height, bottom); row += 1)
      raw.data.fill(red, (row * width + from) * channels, (row * width + from + count) * channels);
  };
  for (const [x = 0, y = 0, wide = 0, high = 0] of boxes) {
    const [left, top] = [Math.floor(x * width), Math.floor(y * height)];
    const [right, bottom] = [Math.ceil((x + wide) * width), Math.ceil((y + high) * height)];
    paint(left - line, top - line, right + line, top);
    paint(left - line, bottom, right + line, bottom + line);
    paint(left - line, top, left, bottom);
    paint(right, top, right + line, bottom);
  }
  return sharp(raw.data, { raw: { width, height, channels } });
}

function pixelsOf([x, y, width, height]: readonly [number, number, number, number], wide: number, high: number) {
  const left = Math.min(wide - 1, Math.max(0, Math.floor(x * wide)));
  const top = Math.min(high - 1, Math.max(0, Math.floor(y * high)));
  const right = Math.min(wide, Math.max(left + 1, Math.ceil((x + width) * wide)));
  const bottom = Math.min(high, Math.max(top + 1, Math.ceil((y + height) * high)));
  return { left, top, width: right - left, height: bottom - top };
}

/** Fills the corners of a turned page with its most frequent colour. White corners on gray paper would move every threshold. */
async function paperTone({ png }: PageImage): Promise<{ r: number; g: number; b: number }> {
  const { data } = await orImageError(
    (await openImage(png))
      .resize({ width: 64, height: 64, fit: 'fill' })
      .toColourspace('b-w')
      .raw()
      .toBuffer({ resolveWithObject: true }),
  );
  const tone = data.toSorted()[data.length >> 1] ?? 255;
  return { r: tone, g: tone, b: tone };
}

async function blackAndWhite(page: PageImage): Promise<Sharp> {
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  const { width, height, bits } = inkOf(await toRaster(page, Math.max(page.width, page.height)));
  const pixels = bits.map((bit) => (bit === 1 ? 0 : 255));
  return sharp(pixels, { raw: { width, height, channels: 1 } }).toColourspace('b-w');
}

type Polygon = readonly (readonly [number, number])[];

/** Paints everything outside of the polygons white. */
async function keep(
  image: Sharp,
  polygons: readonly Polygon[],
  { width, height }: { width: number; height: number },
): Promise<Sharp> {
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  const inside = new Uint8Array(width * height);
  for (const polygon of polygons)
    fill(
      inside,
      width,
      polygon.map(([x, y]) => [x * width, y * height]),
    );
  const raw = await orImageError(image.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }));
  const { channels } = raw.info;
  for (let at = 0; at < inside.length; at += 1)
    if (inside[at] === 0) raw.data.fill(255, at * channels, (at + 1) * channels);
  return sharp(raw.data, { raw: { width, height, channels } });
}

/** Applies the even-odd rule at the middle of each row of pixels. */
function fill(inside: Uint8Array, width: number, polygon: Polygon): void {
  const height = inside.length / width;
  const top = Math.max(0, Math.floor(Math.min(...polygon.map(([, y]) => y))));
  const bottom = Math.min(height, Math.ceil(Math.max(...polygon.map(([, y]) => y))));
  for (let row = top; row < bottom; row += 1) {
    const crossings = polygon
      .flatMap(([x, y], at) => {
        const [nextX, nextY] = polygon[(at + 1) % polygon.length] ?? [x, y];
        const middle = row + 0.5;
        return y <= middle === nextY <= middle ? [] : [x + ((middle - y) / (nextY - y)) * (nextX - x)];
      })
      .toSorted((one, other) => one - other);
    for (let at = 0; at + 1 < crossings.length; at += 2)
      inside.fill(
        1,
        row * width + Math.max(0, Math.round(crossings[at] ?? 0)),
        row * width + Math.min(width, Math.round(crossings[at + 1] ?? 0)),
      );
  }
}
