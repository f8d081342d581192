import { canonicalHash } from '#src/domain/canonical-json.ts';
import type { RunReceipt } from '#src/domain/runs/run.ts';

/**
 * Computes a receipt again from its parts, as a reader outside of the product does. False when anything in it was changed, and of a
 * receipt with steps left out, which cannot be computed again.
 */
export function verifyReceipt({ head, steps, stepsLeftOut, outputsDigest, hash }: RunReceipt): boolean {
  if (stepsLeftOut !== 0) return false;
  let last = canonicalHash(head);
  for (const { hash: listed, ...step } of steps) {
    last = canonicalHash({ previous: last, step });
    if (listed !== last) return false;
  }
  return canonicalHash({ previous: last, outputsDigest, stepsLeftOut }) === hash;
}
