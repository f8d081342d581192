/** ln n!, exact for small n. Source: Stirling's series, Abramowitz and Stegun 6.1.41. */
function logFactorial(n: number): number {
  if (n < 20) {
    let product = 1;
    for (let factor = 2; factor <= n; factor += 1) product *= factor;
    return Math.log(product);
  }
  const x = n + 1;
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1_260 * x ** 5) - 1 / (1_680 * x ** 7);
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series;
}

/** P(X <= k) for X successes among `n` trials of probability `p`. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  const [logP, logQ, whole] = [Math.log(p), Math.log1p(-p), logFactorial(n)];
  let sum = 0;
  for (let at = 0; at <= k; at += 1)
    sum += Math.exp(whole - logFactorial(at) - logFactorial(n - at) + at * logP + (n - at) * logQ);
  return Math.min(1, sum);
}

/** Finds where a falling function crosses `level` between 0 and 1. */
function crossing(falling: (p: number) => number, level: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (falling(middle) > level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Upper bound of a rate of which `k` of `n` were seen, exceeded with probability `alpha` at most. Source: Clopper and Pearson, Biometrika 26 (1934). */
export function rateUpperBound(k: number, n: number, alpha: number): number {
  if (n === 0 || k >= n) return 1;
  return crossing((p) => binomialCdf(k, n, p), alpha);
}

/** Exact two-sided interval of a rate of which `k` of `n` were seen. Source: Clopper and Pearson, Biometrika 26 (1934). */
export function rateInterval(k: number, n: number, alpha: number): readonly [low: number, high: number] {
  return [1 - rateUpperBound(n - k, n, alpha / 2), rateUpperBound(k, n, alpha / 2)];
}

/** Rates that are bet on, the first with half of the capital: mostly no item is harmed. */
const expectedRates = [0, 1 / 512, 1 / 128, 1 / 32, 1 / 8, 1 / 2] as const;

/**
 * Upper bound of a rate that may be looked at after every item: the true rate is ever over it with a probability of at most `alpha`. Needs
 * 67 items without any to show 5 % at the usual level, where the bound of a fixed number needs 59. Source: mixture of likelihood ratios,
 * Robbins, "Statistical methods related to the law of the iterated logarithm", Annals of Mathematical Statistics 41 (1970).
 */
export function anytimeRateUpperBound(k: number, n: number, alpha: number): number {
  if (n === 0 || k >= n) return 1;
  const seen = k / n;
  const logLikelihood = (p: number): number => (k === 0 ? 0 : k * Math.log(p)) + (n - k) * Math.log1p(-p);
  const most = logLikelihood(seen);
  let mixture = 0;
  for (const [at, rate] of expectedRates.entries())
    mixture += (at === 0 ? 0.5 : 0.1) * Math.exp(logLikelihood(rate) - most);
  return crossing((p) => (p <= seen ? Number.POSITIVE_INFINITY : Math.exp(logLikelihood(p) - most) / mixture), alpha);
}
