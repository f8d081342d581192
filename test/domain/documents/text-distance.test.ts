import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characterErrorRate } from '#scripts/bench/documents/character-error-rate.ts';
import { editDistance, textDistance } from '#src/domain/documents/text-distance.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

/** Textbook recursion with a full table: slow, and obviously right. */
function plainDistance(from: readonly string[], to: readonly string[]): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (const [row, item] of from.entries()) {
    const line = [row + 1];
    for (const [column, other] of to.entries()) {
      const replaced = (rows[row]?.[column] ?? 0) + (item === other ? 0 : 1);
      line.push(Math.min(replaced, (rows[row]?.[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    rows.push(line);
  }
  return rows[from.length]?.[to.length] ?? 0;
}

describe('characterErrorRate', () => {
  it.each([
    ['kitten', 'sitting', 3 / 6],
    ['total 29.41', 'total 29.41', 0],
    ['total 29.41', 'tota1 2941', 2 / 11],
    ['abcd', '', 1],
    ['ab', 'abxyzxyz', 3],
    ['', '', 0],
    ['', 'noise', 1],
    ['   \n', '\f', 0],
  ])('compares %j with %j', (truth, recognized, rate) => {
    expect(characterErrorRate(truth, recognized)).toBeCloseTo(rate, 12);
  });

  it('takes any run of white space for one space', () => {
    expect(characterErrorRate('one\ntwo\f three', ' one  two\tthree\n\n')).toBe(0);
  });

  it('takes compatible forms for the same character', () => {
    expect(characterErrorRate('ﬁnal e\u0301tude', 'final \u00e9tude')).toBe(0);
  });

  it('counts a grapheme of several code points once', () => {
    expect(characterErrorRate('a👩‍👩‍👧b', 'axb')).toBeCloseTo(1 / 3, 12);
    expect(characterErrorRate('naïve café', 'naive café')).toBeCloseTo(1 / 10, 12);
  });

  it('keeps upper and lower case apart', () => {
    expect(characterErrorRate('Ab', 'ab')).toBe(0.5);
  });

  it('compares 5,000 with 5,000 characters without a matrix of them', () => {
    const truth = Array.from({ length: 5_000 }, (_, index) => String.fromCharCode(97 + ((index * 7) % 26))).join('');
    const recognized = Array.from({ length: 5_000 }, (_, index) => String.fromCharCode(97 + ((index * 11) % 26))).join(
      '',
    );
    const before = process.memoryUsage().arrayBuffers;
    const computed = cpuClock();
    expect(characterErrorRate(truth, recognized)).toBeGreaterThan(0.3);
    expect(computed()).toBeLessThan(3_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
  });
});

describe('editDistance', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 });

  it('agrees with the full table', () => {
    fc.assert(fc.property(items, items, (from, to) => editDistance(from, to) === plainDistance(from, to)));
  });

  it('is a metric: zero for equals only, symmetric, and no detour is shorter', () => {
    fc.assert(
      fc.property(items, items, items, (a, b, c) => {
        expect(editDistance(a, b) === 0).toBe(a.join() === b.join());
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      }),
    );
  });

  it('lies between the difference of the lengths and the longer length', () => {
    fc.assert(
      fc.property(items, items, (a, b) => {
        const distance = editDistance(a, b);
        return distance >= Math.abs(a.length - b.length) && distance <= Math.max(a.length, b.length);
      }),
    );
  });

  it('does not change its arguments', () => {
    fc.assert(
      fc.property(items, items, (a, b) => {
        const copies = [[...a], [...b]];
        editDistance(a, b);
        expect([a, b]).toEqual(copies);
      }),
    );
  });
});

describe('textDistance', () => {
  it('counts code points, those of two UTF-16 units as well', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'é', '𠮷', '𠮸'), { maxLength: 10 });
    fc.assert(
      fc.property(texts, texts, (from, to) => textDistance(from.join(''), to.join('')) === plainDistance(from, to)),
    );
  });
});

describe('character error rate of any text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });

  it('is finite, never negative, and zero for the text itself', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(characterErrorRate(a, a)).toBe(0);
        expect(characterErrorRate(a, b)).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(characterErrorRate(a, b))).toBe(true);
      }),
    );
  });
});
