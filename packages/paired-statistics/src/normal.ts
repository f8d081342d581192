/**
 * P(Z <= z) for a standard normal Z, with an absolute error below 1e-14. Source: series and continued fraction of Abramowitz and Stegun,
 * "Handbook of mathematical functions", 26.2.10 and 26.2.14.
 */
export function normalCdf(z: number): number {
  if (z < 0) return 1 - normalCdf(-z);
  if (z > 38) return 1;
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 4) {
    let [sum, term] = [z, z];
    for (let odd = 3; Math.abs(term) > 1e-17 * sum; odd += 2) {
      term *= (z * z) / odd;
      sum += term;
    }
    return 0.5 + density * sum;
  }
  let tail = z;
  for (let at = 60; at > 0; at -= 1) tail = z + at / tail;
  return 1 - density / tail;
}

/** Value that a standard normal variable is below with probability `p`, between 0 and 1. The inverse of `normalCdf`, by bisection. */
export function normalQuantile(p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY;
  if (p >= 1) return Number.POSITIVE_INFINITY;
  let [low, high] = [-38, 38];
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
