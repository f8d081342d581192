import leven from 'leven';
import { expect, test } from 'vitest';
import { observed, scored } from '#test/domain/experiments/score.ts';

/** Pseudo-random numbers from 0 to 1 by a seed: mulberry32. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((more ^ (more >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Characters of several scripts: combining marks, emoji of several code points, flags, right-to-left letters, and spaces. */
const alphabet = [
  ...Array.from('abcdeé019.,€'),
  'e\u0323\u0302',
  'q\u0307\u0323',
  '👩‍👩‍👧‍👦',
  '👍🏽',
  '🏳️‍🌈',
  '🇩🇪',
  '🇫🇷',
  'ש',
  'ל',
  'م',
  'ر\u064e',
  '한',
  'क्षि',
  ' ',
  ' ',
];

/**
 * No package computes error rates of grapheme clusters, and those for words that we read are wrong or count longest common subsequences.
 * So `leven`, a published edit distance of UTF-16 code units, gets one code unit for each different cluster or word.
 */
function publishedRate(wanted: readonly string[], got: readonly string[]): number {
  const codes = new Map([...new Set([...wanted, ...got])].map((item, at) => [item, String.fromCharCode(0x4e00 + at)]));
  const encoded = (items: readonly string[]): string => items.map((item) => codes.get(item)).join('');
  return wanted.length === 0 ? Math.min(1, got.length) : leven(encoded(wanted), encoded(got)) / wanted.length;
}

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
const clustersOf = (text: string): string[] =>
  [...clusters.segment(text.normalize('NFKC'))].map(({ segment }) => segment);
const wordsOf = (text: string): string[] => text.normalize('NFKC').match(/\S+/gu) ?? [];

test('cer and wer are those of a published edit distance, for 500 pairs of several scripts', () => {
  const next = numbersOf(20_261_123);
  const pick = (): string => alphabet[Math.floor(next() * alphabet.length)] ?? '';
  const edited = (text: readonly string[]): string[] =>
    text.flatMap((item) => {
      const chance = next();
      if (chance < 0.1) return [];
      if (chance < 0.2) return [pick()];
      return chance < 0.3 ? [item, pick()] : [item];
    });
  let different = 0;
  for (let pair = 0; pair < 500; pair++) {
    const items = Array.from({ length: Math.floor(next() * 80) }, pick);
    const wanted = items.join('');
    const got =
      pair % 2 === 0 ? edited(items).join('') : Array.from({ length: Math.floor(next() * 80) }, pick).join('');
    const of = (type: string) =>
      scored({ type, foldWhitespace: false }, observed({ text: got }), { text: wanted }).value;
    expect(of('cer')).toBeCloseTo(publishedRate(clustersOf(wanted), clustersOf(got)), 12);
    expect(of('wer')).toBeCloseTo(publishedRate(wordsOf(wanted), wordsOf(got)), 12);
    if (clustersOf(wanted).length !== Array.from(wanted.normalize('NFKC')).length) different += 1;
  }
  // Most texts have characters of several code points, so that counting code points would fail.
  expect(different).toBeGreaterThan(400);
});
