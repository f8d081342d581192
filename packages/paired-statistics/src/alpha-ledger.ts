/**
 * Level of the next confirmation on a holdout: half of what is left, so that all confirmations together stay within `alpha`, however many
 * there are. Source: alpha spending, Foster and Stine, "Alpha-investing", Journal of the Royal Statistical Society B 70 (2008), without
 * earning back.
 */
export function nextAlpha(alpha: number, confirmations: number): number {
  return alpha / 2 ** (confirmations + 1);
}

/** The part of `alpha` that is left after so many confirmations. */
export function alphaLeft(alpha: number, confirmations: number): number {
  return alpha / 2 ** confirmations;
}
