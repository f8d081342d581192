import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { Box } from '#src/domain/segment-locally/geometry.ts';

/** Share of bright pixels in a row or column of paper. */
const enough = 0.5;
const whole: Box = [0, 0, 1, 1];

/**
 * Bounding box of a sheet on a darker background, as fractions of the raster. Returns the whole raster if its edge is as bright as its
 * middle, or if the bright part is too small for a page.
 */
export function paperOf(raster: GrayRaster): Box {
  const { width, height, pixels } = raster;
  const threshold = otsu(pixels);
  const rows = new Float64Array(height);
  const columns = new Float64Array(width);
  for (let at = 0; at < pixels.length; at += 1) {
    if ((pixels[at] ?? 0) <= threshold) continue;
    const x = at % width;
    const y = (at - x) / width;
    rows[y] = (rows[y] ?? 0) + 1;
    columns[x] = (columns[x] ?? 0) + 1;
  }
  const [top, bottom] = span(rows);
  const [left, right] = span(columns);
  const box: Box = [left / width, top / height, (right - left) / width, (bottom - top) / height];
  return box[2] < 0.3 || box[3] < 0.3 || box[2] * box[3] > 0.95 || !darkEdge(raster, threshold) ? whole : box;
}

/** True if most outer pixels are dark, which print up to the edges is not. */
function darkEdge({ width, pixels }: GrayRaster, threshold: number): boolean {
  let [dark, all] = [0, 0];
  for (let at = 0; at < pixels.length; at += 1) {
    const x = at % width;
    if (x > 0 && x < width - 1 && at >= width && at < pixels.length - width) continue;
    all += 1;
    if ((pixels[at] ?? 0) <= threshold) dark += 1;
  }
  return dark > all / 2;
}

/** First and last index with at least half of the maximum. */
function span(counts: Float64Array): [number, number] {
  const least = counts.reduce((most, count) => Math.max(most, count), 0) * enough;
  return [counts.findIndex((count) => count >= least), counts.findLastIndex((count) => count >= least) + 1];
}

/** Threshold between dark and bright pixels. Source: Otsu 1979. */
function otsu(pixels: Uint8Array): number {
  const counts = new Float64Array(256);
  for (const tone of pixels) counts[tone] = (counts[tone] ?? 0) + 1;
  const total = counts.reduce((sum, count, tone) => sum + count * tone, 0);
  let [below, sum, best, threshold] = [0, 0, -1, 127];
  for (const [tone, count] of counts.entries()) {
    below += count;
    sum += count * tone;
    const above = pixels.length - below;
    if (below === 0 || above === 0) continue;
    const between = below * above * (sum / below - (total - sum) / above) ** 2;
    if (between > best) [best, threshold] = [between, tone];
  }
  return threshold;
}
