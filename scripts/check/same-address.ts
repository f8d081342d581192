import { expect } from 'vitest';

/** Signed address of a picture: what it opens, and a signature that is another one after some minutes. */
const signed = /^(https?:\/\/[^?]+\/media\/[^?]+)\?expires=\d+&signature=[\w-]{43}((?:&[^#]*)?)$/;

/** What a signed address opens, whenever it was signed; null for other values. */
const opened = (value: unknown): string | null => {
  const found = typeof value === 'string' ? signed.exec(value) : null;
  return found === null ? null : `${found[1]}${found[2]}`;
};

/**
 * Signed addresses of one picture are equal for `toEqual` and `toMatchObject`. Their expiry moves in steps of ten minutes, and a step may lie
 * between two reads of a test.
 */
expect.addEqualityTesters([
  (one: unknown, other: unknown): boolean | undefined => {
    const [left, right] = [opened(one), opened(other)];
    return left === null || right === null ? undefined : left === right;
  },
]);
