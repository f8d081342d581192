export { alphaLeft, nextAlpha } from './alpha-ledger.ts';
export { binomialCdf, rateInterval, rateUpperBound } from './binomial.ts';
export { bcaInterval, type BootstrapOptions } from './bootstrap.ts';
export { compare, type CompareOptions, type Comparison, type Harm, type Verdict } from './compare.ts';
export { detectableEffect } from './detectable-effect.ts';
export { holmAdjusted } from './holm.ts';
export { mcNemarTest } from './mcnemar.ts';
export { normalCdf, normalQuantile } from './normal.ts';
export {
  highestEvidence,
  meanConfidenceSequence,
  meanProcess,
  typicalProcess,
  type EvidenceProcess,
} from './processes.ts';
export { seededRandom, shuffled, type Random } from './random.ts';
export { sentenceOf } from './sentence.ts';
export { signFlipTest } from './sign-flip.ts';
export { itemDifferences, mean, quantile, standardDeviation } from './summary.ts';
