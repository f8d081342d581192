import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { Box } from '#src/domain/segment-locally/geometry.ts';

/** Share of bright pixels that makes a row or column part of the paper. */
const enough = 0.5;
const whole: Box = [0, 0, 1, 1];

/**
 * The sheet on a darker table, as fractions of the raster; the whole raster where the edge of the picture is as bright as its middle,
 * or the bright part is too small to be a page.
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

/** Print on a page to its edges is no table: most of the outer pixels have to be dark. */
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

/** From the first to the last place that has at least half of what the fullest has. */
function span(counts: Float64Array): [number, number] {
  const least = counts.reduce((most, count) => Math.max(most, count), 0) * enough;
  return [counts.findIndex((count) => count >= least), counts.findLastIndex((count) => count >= least) + 1];
}

/** The gray that parts dark from bright best. Source: Otsu 1979. */
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
