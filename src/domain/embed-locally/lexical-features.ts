import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';
import { createStopWords } from '#src/domain/embed-locally/stop-words.ts';

/** Reduces a folded word to its stem. Documents and queries must use the same function. */
export type Stem = (word: string) => string;

/** Kinds of features; the kind is the lowest two bits of a feature's id. */
export const featureKind = { stem: 0, pair: 1, gram: 2 } as const;

export interface LexicalFeatures {
  /** Frequency by feature id (signed 32 bits, which V8 keeps unboxed). */
  counts(text: string): Map<number, number>;
  /** Readable name by feature id: `s:invoic`, `p:invoic number`, `g:_in`. */
  names(text: string): Map<number, string>;
}

interface Word {
  readonly stem: string;
  readonly stemHash: number;
  /** Id of the stem, then of the `gramsOf` the word. */
  readonly ids: readonly number[];
}

/** Cached words of an extractor. The cache is cleared when full, which bounds memory to about 5 MB. */
const rememberedWords = 10_000;

/** Extracts stems, pairs of adjacent stems and character 3/4-grams of content words. Has a bounded cache. */
export function createLexicalFeatures(stem: Stem): LexicalFeatures {
  const stopWords = createStopWords();
  const memory = new Map<string, Word | null>();

  function read(token: string): Word | null {
    const known = memory.get(token);
    if (known !== undefined) return known;
    // Copies the token, since a slice would keep the whole text in memory.
    const own = Buffer.from(token).toString();
    const word = stopWords.has(own) ? null : describeWord(own, stem(own));
    if (memory.size >= rememberedWords) memory.clear();
    memory.set(own, word);
    return word;
  }

  function* contentWords(text: string): Generator<readonly [token: string, word: Word]> {
    for (const token of wordsOf(foldText(text))) {
      const word = read(token);
      if (word !== null) yield [token, word];
    }
  }

  return {
    counts(text) {
      const counts = new Map<number, number>();
      let previous: Word | undefined;
      for (const [, word] of contentWords(text)) {
        for (const id of word.ids) counts.set(id, (counts.get(id) ?? 0) + 1);
        if (previous !== undefined) {
          const id = pairId(previous, word);
          counts.set(id, (counts.get(id) ?? 0) + 1);
        }
        previous = word;
      }
      return counts;
    },
    names(text) {
      const names = new Map<number, string>();
      let previous: Word | undefined;
      for (const [token, word] of contentWords(text)) {
        const grams = gramsOf(token);
        word.ids.forEach((id, index) => names.set(id, index === 0 ? `s:${word.stem}` : `g:${grams[index - 1]}`));
        if (previous !== undefined) names.set(pairId(previous, word), `p:${previous.stem} ${word.stem}`);
        previous = word;
      }
      return names;
    },
  };
}

function describeWord(token: string, stem: string): Word {
  const stemHash = hash(stem, 0x9747b28c);
  const ids = [
    withKind(stemHash, featureKind.stem),
    ...gramsOf(token).map((gram) => withKind(hash(gram, 0x3c6ef372), featureKind.gram)),
  ];
  return { stem, stemHash, ids };
}

/** Character 3/4-grams of a word with `_` at its edges: `_ab`, `abc`, `bc_`. */
function gramsOf(token: string): string[] {
  const edged = `_${token}_`;
  const grams: string[] = [];
  for (const size of [3, 4]) {
    for (let at = 0; at + size <= edged.length; at++) grams.push(edged.slice(at, at + size));
  }
  return grams;
}

function pairId(left: Word, right: Word): number {
  return withKind(mix(Math.imul(left.stemHash, 31) ^ right.stemHash), featureKind.pair);
}

function withKind(value: number, kind: number): number {
  return (value & ~3) | kind;
}

/** FNV-1a over UTF-16 units with MurmurHash3's final mixing: stable across processes and machines. */
function hash(text: string, seed: number): number {
  let value = seed | 0;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return mix(value);
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
