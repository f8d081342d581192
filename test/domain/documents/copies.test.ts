import { describe, expect, test } from 'vitest';
import { copyKeys, evidenceFor, readAlike } from '#src/domain/documents/copies/copies.ts';
import { isSavedAgain } from '#src/domain/documents/copies/saved-again.ts';

const hash = 'c9363636c9c9c936';
const numbers = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `item ${from + at}`).join('\n');
const share = (one: readonly string[], other: readonly string[]): boolean => one.some((key) => other.includes(key));

describe('Keys of copies', () => {
  test('are shared by hashes that differ in two bits, wherever they are', () => {
    const keys = copyKeys(hash, '');
    expect(keys).toHaveLength(6);
    for (let one = 0; one < 64; one += 1)
      for (let other = 0; other < one; other += 1) {
        const changed = BigInt(`0x${hash}`) ^ (1n << BigInt(one)) ^ (1n << BigInt(other));
        expect(share(keys, copyKeys(changed.toString(16).padStart(16, '0'), ''))).toBe(true);
      }
  });

  test('are shared by texts of which one number in forty differs, and by none with other numbers', () => {
    const far = '36c9c9c9363636c9';
    for (let from = 1_000; from < 3_000; from += 100) {
      const text = numbers(from, 40);
      expect(share(copyKeys(hash, text), copyKeys(far, text.replace(String(from), '9999')))).toBe(true);
      expect(share(copyKeys(hash, text), copyKeys(far, numbers(from + 5_000, 40)))).toBe(false);
    }
  });

  test('are none for a page that is nearly empty', () => {
    expect(copyKeys('ffffffffffffffff', numbers(1_000, 40))).toEqual([]);
    expect(copyKeys('', numbers(1_000, 40))).toEqual([]);
  });
});

test('pictures that look alike are decided by the text, and equal ones by their pixels too', () => {
  const look = (blockHash: string, ...vector: number[]) => ({ blockHash, vector: Float32Array.from(vector) });
  const one = look(hash, 1, 0);
  expect(evidenceFor(one, look(hash, 1, 0.01))).toEqual(['pixels', 'text']);
  expect(evidenceFor(one, look('c9363636c9c9c9c9', 1, 0.01))).toEqual(['text']);
  expect(evidenceFor(one, look(hash, 1, 0.3))).toEqual(['text']);
  expect(evidenceFor(one, look(hash, 1, 1))).toEqual([]);
  expect(evidenceFor(one, look('36c9c9c9363636c9', 1, 0))).toEqual([]);
  expect(evidenceFor(one, look(hash, 1))).toEqual([]);
});

test('texts are of one page where all numbers are the same, and enough', () => {
  const text = 'Invoice 2024/118 of 14.03.2024: 340.00 and 29.41, in all 369.41';
  expect(readAlike(text, text.replace('14.03.2024', '14-03-2024'))).toBe(true);
  expect(readAlike(text, text.replace('369.41', '369.47'))).toBe(false);
  expect(readAlike(text, `${text} of ten other words that nobody else has ever written here`)).toBe(false);
  expect(readAlike('Page 2023', 'Page 2023')).toBe(false);
});

test('pixels are those of one picture at another size and lightness, and not where a small place differs', () => {
  const draw = (size: number, gain = 1, spot = 0) => {
    const pixels = new Uint8Array(size * size);
    for (let at = 0; at < pixels.length; at += 1) {
      const [x, y] = [(at % size) / size, Math.floor(at / size) / size];
      const isSpot = Math.hypot(x - 0.5, y - 0.5) < spot;
      pixels[at] = gain * (isSpot ? 20 : 128 + 100 * Math.sin(x * 20) * Math.cos(y * 15));
    }
    return { width: size, height: size, pixels };
  };
  expect(isSavedAgain(draw(600), draw(400))).toBe(true);
  expect(isSavedAgain(draw(600), draw(600, 0.8))).toBe(true);
  expect(isSavedAgain(draw(600), draw(600, 1, 0.02))).toBe(false);
  const blank = { width: 10, height: 10, pixels: new Uint8Array(100).fill(255) };
  expect(isSavedAgain(blank, blank)).toBe(true);
});
