/** Width of the picture, and of the names of variants at its left. */
export const width = 440;
const labelWidth = 96;
/** Half of the longest number of the axis, `+1.000`, which may stand at either end. */
const margin = 26;

export const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(3)}`;

/** Round steps of an axis that reaches `most` on both sides of zero. */
export function ticksOf(most: number): readonly number[] {
  const step = 10 ** Math.floor(Math.log10(most));
  const size = most / step >= 5 ? 5 * step : most / step >= 2 ? 2 * step : step;
  return [-size, 0, size];
}

/** Place of a value on that axis. */
export const placesOf =
  (most: number) =>
  (value: number): number =>
    labelWidth + (width - labelWidth) / 2 + (value / most) * ((width - labelWidth) / 2 - margin);
