import type { Mask } from '#src/domain/segment-locally/ink.ts';

const mostPoints = 40_000;
/** Fewest ink points for a measurement. */
const fewestPoints = 50;
const degree = Math.PI / 180;
/** Required gain in sharpness over the page without rotation. */
const gain = 1.1;

/**
 * Clockwise skew of the lines of text in degrees, -`most`..`most`, to 0.1 degrees; 0 if a rotation would not make the rows clearly
 * sharper. Rows are sharpest at the angle with the largest variance of the sheared row profile.
 */
export function skewOf(ink: Mask, most: number): number {
  const points = lowerEdges(ink);
  if (points.length < 2 * fewestPoints) return 0;
  const score = (angle: number): number => sharpness(points, ink.height, Math.tan(angle * degree));
  const best = (from: number, to: number, step: number): number => {
    let [found, top] = [0, -1];
    for (let angle = from; angle <= to + step / 2; angle += step) {
      const value = score(angle);
      if (value > top) [found, top] = [angle, value];
    }
    return found;
  };
  const rough = best(-most, most, 0.5);
  const fine = best(Math.max(-most, rough - 0.4), Math.min(most, rough + 0.4), 0.1);
  return Math.abs(fine) < 0.15 || score(fine) < gain * score(0) ? 0 : Math.round(fine * 10) / 10;
}

/** Ink pixels above paper, which mark base lines, as alternating x and y. */
function lowerEdges({ width, height, bits }: Mask): Int32Array {
  const points: number[] = [];
  for (let at = 0; at < (height - 1) * width; at += 1)
    if (bits[at] === 1 && bits[at + width] === 0) points.push(at % width, Math.floor(at / width));
  const step = Math.max(1, Math.ceil(points.length / 2 / mostPoints));
  return Int32Array.from(points.filter((_, at) => (at >> 1) % step === 0));
}

/** Sum of squared row counts, which is larger if fewer rows hold the same number of points. */
function sharpness(points: Int32Array, height: number, slope: number): number {
  const rows = new Float64Array(3 * height);
  for (let at = 0; at < points.length; at += 2) {
    const row = Math.round((points[at + 1] ?? 0) - (points[at] ?? 0) * slope) + height;
    if (row >= 0 && row < rows.length) rows[row] = (rows[row] ?? 0) + 1;
  }
  return rows.reduce((sum, count) => sum + count * count, 0);
}
