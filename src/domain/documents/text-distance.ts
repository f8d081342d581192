import { distance } from 'fastest-levenshtein';

/** The library compares UTF-16 code units; each different item becomes one of them. */
const maxItems = 65_536;

/** Levenshtein distance between sequences. Error: RangeError for more than 65,536 different items. */
export function editDistance<Item>(from: readonly Item[], to: readonly Item[]): number {
  const items = [...new Set([...from, ...to])];
  if (items.length > maxItems) throw new RangeError(`Too many different items: ${items.length} of ${maxItems}.`);
  const codes = new Map(items.map((item, code) => [item, String.fromCharCode(code)]));
  const encode = (sequence: readonly Item[]): string => sequence.map((item) => codes.get(item)).join('');
  return distance(encode(from), encode(to));
}

/** Levenshtein distance between texts, in code points. */
export function textDistance(from: string, to: string): number {
  const pair = /[\u{10000}-\u{10FFFF}]/u;
  return pair.test(from) || pair.test(to) ? editDistance(Array.from(from), Array.from(to)) : distance(from, to);
}
