import { expect } from 'vitest';

/** The address of a signed GET without its signature; null for other values. */
function opened(value: unknown): string | null {
  if (typeof value !== 'string' || !value.includes('expires=') || !URL.canParse(value)) return null;
  const url = new URL(value);
  const { searchParams: terms } = url;
  // An upload is signed for its length: its address is another one each time.
  if (!terms.has('signature') || terms.has('length')) return null;
  for (const term of ['expires', 'signature']) terms.delete(term);
  return url.href;
}

/**
 * Signed addresses of one picture or file are equal for `toEqual` and `toMatchObject`. Their expiry moves in steps of ten minutes, and a step
 * may lie between two reads of a test.
 */
expect.addEqualityTesters([
  (one: unknown, other: unknown): boolean | undefined => {
    const [left, right] = [opened(one), opened(other)];
    return left === null || right === null ? undefined : left === right;
  },
]);
