import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import type * as Snowball from 'snowball-stemmers';
import { notImplemented } from '../../errors.ts';

/**
 * Cuts a text into terms and visits each with its place among the words of the field, of which the first has the given one.
 * Returns the place of the word after the last.
 */
export type Analyze = (text: string, place: number, visit: (term: string, place: number) => void) => number;

/** Unicode's word boundaries (UAX #29), as Lucene's StandardTokenizer draws them: letters, digits and what may stand between two. */
const LETTER = String.raw`[\p{Alphabetic}--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]][\p{M}\p{Cf}]*`;
const DIGIT = String.raw`\p{Nd}[\p{M}\p{Cf}]*`;
const WORD = String.raw`(?:${LETTER}(?:[:·‧.'‘’․：．＇](?=\p{Alphabetic}))?|${DIGIT}(?:[,;٬⁄，；.'‘’․．＇](?=\p{Nd}))?|_)+`;
const IDEOGRAPH = String.raw`[\p{Script=Han}\p{Script=Hiragana}]\p{M}*|(?:[\p{Script=Katakana}ー]\p{M}*)+`;
const PICTURE = String.raw`[\p{Extended_Pictographic}--[\x00-\xff]](?:[\p{M}\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*|\p{RI}\p{RI}`;
/** The group is a run of underscores that no word goes on with: no word. Taken as a whole, so that a long one takes no longer. */
const STANDARD = new RegExp(String.raw`(_+)(?![\p{Alphabetic}\p{Nd}_])|${WORD}|${IDEOGRAPH}|${PICTURE}`, 'gv');

const STOP_WORDS = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was ' +
    'will with'
  ).split(' '),
);
const MAX_TOKEN = 255;
const MAX_TERM_BYTES = 32_766;
const MEMO = 20_000;

type Stemmer = ReturnType<typeof Snowball.newStemmer>;

/** Loads the stemmers with the first word: those of all languages take 2 MB. With `require`, since an analyzer does not wait. */
function loadStemmer(): Stemmer {
  const require = createRequire(import.meta.url);
  return (require('snowball-stemmers') as typeof Snowball).newStemmer('english');
}

/** Removes possessives and stop words, and stems in small letters. Lucene stems by Porter's first algorithm, this by his second. */
function createEnglish(): (token: string) => string {
  let stemmer: Stemmer | undefined;
  return (token) => {
    const word = token.replace(/['’＇][sS]$/, '').toLowerCase();
    return STOP_WORDS.has(word) ? '' : (stemmer ??= loadStemmer()).stem(word);
  };
}

/** Tokenizer and normalization of each analyzer. A keyword is the whole text. */
const ANALYZERS: Readonly<Record<string, { tokens?: RegExp; createFold: () => (token: string) => string }>> = {
  'lucene.standard': { tokens: STANDARD, createFold: () => (token) => token.toLowerCase() },
  'lucene.english': { tokens: STANDARD, createFold: createEnglish },
  'lucene.keyword': { createFold: () => (token) => token },
};

/** Lucene's analyzer of that name. It remembers the last words it folded, of which a text repeats most. */
export function createAnalyzer(name: unknown): Analyze {
  if (!Object.hasOwn(ANALYZERS, String(name))) throw notImplemented(`The analyzer ${JSON.stringify(name)}`);
  const { tokens, createFold } = ANALYZERS[String(name)] as (typeof ANALYZERS)[string];
  if (!tokens) {
    return (text, place, visit) => {
      if (text !== '' && Buffer.byteLength(text) <= MAX_TERM_BYTES) visit(text, place);
      return place + 1;
    };
  }
  const fold = createFold();
  // Takes megabytes from the start: an index without text does without.
  let memo: LRUCache<string, string> | undefined;
  const termOf = (token: string): string => (memo ??= new LRUCache({ max: MEMO, memoMethod: fold })).memo(token);
  return (text, place, visit) => {
    let next = place;
    for (const [token, noWord] of text.matchAll(tokens)) {
      if (noWord !== undefined) continue;
      for (let at = 0; at < token.length; at += MAX_TOKEN) {
        const term = termOf(token.length <= MAX_TOKEN ? token : token.slice(at, at + MAX_TOKEN));
        // A stop word leaves a hole that a phrase has to have as well.
        if (term !== '') visit(term, next);
        next++;
      }
    }
    return next;
  };
}
