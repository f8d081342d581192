import { binomialCdf } from './binomial.ts';

/**
 * Exact two-sided p of pass/fail results on the same items, from the items on which the two variants differ. Source: McNemar,
 * Psychometrika 12 (1947); exact conditional form in Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91 (2013).
 */
export function mcNemarTest(onlyBaselinePassed: number, onlyVariantPassed: number): number {
  const differing = onlyBaselinePassed + onlyVariantPassed;
  return Math.min(1, 2 * binomialCdf(Math.min(onlyBaselinePassed, onlyVariantPassed), differing, 0.5));
}
