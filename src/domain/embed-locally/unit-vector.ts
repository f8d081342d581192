/** Scales a vector to L2 length 1. A zero vector stays: it has no direction. */
export function unitVector(values: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let index = 0; index < values.length; index++) squares += (values[index] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  const unit = new Float32Array(values.length);
  if (length === 0) return unit;
  for (let index = 0; index < values.length; index++) unit[index] = (values[index] ?? 0) / length;
  return unit;
}
