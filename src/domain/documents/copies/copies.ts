import { cosineOf, differentBits, tellingHalves } from '#src/domain/documents/near-copies.ts';

/** The picture of a first page: its block hash, and its vector of length 1. */
export interface Look {
  readonly blockHash: string;
  readonly vector: Float32Array;
}

/** Bounds of pictures that may be of one page, turned or cut a little. Source: docs/decisions/0203. */
const alike = { bits: 10, cosine: 0.9 } as const;
/** Bounds of pictures that may be one picture, saved again. */
const same = { bits: 2, cosine: 0.99 } as const;
/**
 * Shares of a text that copies have in common. Receipts of one shop look the same to any hash and share up to 82 % of their numbers: only
 * equal numbers tell a second scan, and one that was misread is missed.
 */
const read = { leastNumbers: 5, numbers: 0.95, words: 0.85 } as const;
/** Most numbers and words that are compared, since documents are untrusted. */
const mostCompared = { numbers: 2_000, words: 5_000 } as const;

const token = /[\p{L}\p{N}]+(?:[-.,:/'’][\p{L}\p{N}]+)*/gu;
const word = /[\p{L}\p{N}]{2,}/gu;
const separators = /[^\p{L}\p{N}]/gu;

/** Distinct amounts, dates and codes: tokens of at least 3 letters and digits with a digit, without separators. */
function numbersOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [one] of text.toLowerCase().matchAll(token)) {
    const folded = one.replaceAll(separators, '');
    if (folded.length >= 3 && /\p{Nd}/u.test(folded)) found.add(folded);
    if (found.size === mostCompared.numbers) break;
  }
  return found;
}

function wordsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [one] of text.toLowerCase().matchAll(word)) {
    found.add(one);
    if (found.size === mostCompared.words) break;
  }
  return found;
}

/** Share of common members, 0..1. Source: Jaccard 1912. */
function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const member of one) if (other.has(member)) common += 1;
  return common / Math.max(1, one.size + other.size - common);
}

function isWithin(one: Look, other: Look, { bits, cosine }: { readonly bits: number; readonly cosine: number }) {
  const [first, second] = [tellingHalves(one.blockHash), tellingHalves(other.blockHash)];
  if (first === null || second === null || differentBits(first, second) > bits) return false;
  return cosineOf(one.vector, other.vector) >= cosine;
}

/**
 * Evidence that decides about two pictures: `pixels` where they may be one picture that was saved again, `text` where they may be of one
 * page. Pictures of different pages have neither.
 */
export function evidenceFor(one: Look, other: Look): readonly ('pixels' | 'text')[] {
  if (!isWithin(one, other, alike)) return [];
  return isWithin(one, other, same) ? ['pixels', 'text'] : ['text'];
}

/** True for the same numbers and nearly the same words, of which there must be enough. */
export function readAlike(one: string, other: string): boolean {
  const [numbers, others] = [numbersOf(one), numbersOf(other)];
  return (
    Math.min(numbers.size, others.size) >= read.leastNumbers &&
    shared(numbers, others) >= read.numbers &&
    shared(wordsOf(one), wordsOf(other)) >= read.words
  );
}

/** Groups of least hashes. Sets that share 95 % have an equal group with a probability of 99 %, sets that share half with 6 %. */
const groups = 4;
const minimaOfGroup = 6;

/** 32-bit hash of a text. Source: FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash >>> 0;
}

/** Another hash of it for each seed. Source: finalizer of MurmurHash3. */
function mixed(hash: number, seed: number): number {
  let mix = hash ^ Math.imul(seed + 1, 0x9e37_79b1);
  mix = Math.imul(mix ^ (mix >>> 16), 0x85eb_ca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2_ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}

/** One key for each group. Source: Broder 1997. */
function keysOfNumbers(numbers: ReadonlySet<string>): string[] {
  const hashes = [...numbers].map(hashOf);
  return Array.from({ length: groups }, (_, group) => {
    let key = 0;
    for (let at = 0; at < minimaOfGroup; at += 1) {
      let least = 0xffff_ffff;
      for (const hash of hashes) least = Math.min(least, mixed(hash, group * minimaOfGroup + at));
      key = mixed(key ^ least, at);
    }
    return `n${group}${key.toString(36)}`;
  });
}

/** Each pair of quarters of the block hash: of four quarters, at most two differ in two bits. */
const pairs = [
  [0, 4],
  [0, 8],
  [0, 12],
  [4, 8],
  [4, 12],
  [8, 12],
] as const;

/**
 * Keys of an index, of which two copies share at least one: of the picture, and of its numbers where there are enough. A page that is nearly
 * empty has none. Source: docs/decisions/0203.
 */
export function copyKeys(blockHash: string, text: string): string[] {
  if (tellingHalves(blockHash) === null) return [];
  const numbers = numbersOf(text);
  return [
    ...pairs.map(([one, other], at) => `p${at}${blockHash.slice(one, one + 4)}${blockHash.slice(other, other + 4)}`),
    ...(numbers.size < read.leastNumbers ? [] : keysOfNumbers(numbers)),
  ];
}
