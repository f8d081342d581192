import { stem } from './porter.ts';

/** Receives a term, its place among the words of the field, and where it stood in the text. */
export type Visit = (term: string, place: number, start: number, end: number) => void;

/** Cuts a text into terms; the first word has the given place. Returns the place of the word after the last. */
export type Analyze = (text: string, place: number, visit: Visit) => number;

/** Unicode's word boundaries (UAX #29), as Lucene's StandardTokenizer draws them: letters, digits and what may stand between two. */
const LETTER = String.raw`[\p{Alphabetic}--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]][\p{M}\p{Cf}]*`;
const DIGIT = String.raw`\p{Nd}[\p{M}\p{Cf}]*`;
const WORD = String.raw`(?:${LETTER}(?:[:·‧.'‘’․：．＇](?=\p{Alphabetic}))?|${DIGIT}(?:[,;٬⁄，；.'‘’․．＇](?=\p{Nd}))?|_)+`;
const IDEOGRAPH = String.raw`[\p{Script=Han}\p{Script=Hiragana}]\p{M}*|(?:[\p{Script=Katakana}ー]\p{M}*)+`;
const PICTURE = String.raw`[\p{Extended_Pictographic}--[\x00-\xff]](?:[\p{M}\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*|\p{RI}\p{RI}`;
/** The group is a run of underscores that no word goes on with: no word. Taken as a whole, so that a long one takes no longer. */
const STANDARD = new RegExp(String.raw`(_+)(?![\p{Alphabetic}\p{Nd}_])|${WORD}|${IDEOGRAPH}|${PICTURE}`, 'gv');
/** What Java takes for white space leaves out the spaces that do not break. */
const WHITESPACE = /[^\t-\r\x1c-\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]+/g;

const STOP_WORDS = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was ' +
    'will with'
  ).split(' '),
);
const MAX_TOKEN = 255;
const MAX_TERM_BYTES = 32_766;
const MEMO = 20_000;

const lower = (token: string): string => token.toLowerCase();

/** EnglishAnalyzer: no possessive, small letters, no stop words, Porter's stems. */
function english(token: string): string {
  const word = token.replace(/['’＇][sS]$/, '').toLowerCase();
  return STOP_WORDS.has(word) ? '' : stem(word);
}

const KINDS: Readonly<Record<string, { tokens: RegExp | undefined; fold: (token: string) => string }>> = {
  'lucene.standard': { tokens: STANDARD, fold: lower },
  'lucene.english': { tokens: STANDARD, fold: english },
  'lucene.simple': { tokens: /\p{L}+/gu, fold: lower },
  'lucene.whitespace': { tokens: WHITESPACE, fold: (token) => token },
  'lucene.keyword': { tokens: undefined, fold: (token) => token },
};

export function isAnalyzer(name: unknown): name is string {
  return typeof name === 'string' && Object.hasOwn(KINDS, name);
}

/** Lucene's analyzer of that name. It remembers the last words it folded, of which a text repeats most. */
export function createAnalyzer(name: string): Analyze {
  const { tokens, fold } = KINDS[name] as (typeof KINDS)[string];
  const memo = new Map<string, string>();
  const termOf = (token: string): string => {
    let term = memo.get(token);
    if (term === undefined) {
      if (memo.size >= MEMO) memo.clear();
      memo.set(token, (term = fold(token)));
    }
    return term;
  };
  if (!tokens) {
    return (text, place, visit) => {
      if (text !== '' && Buffer.byteLength(text) <= MAX_TERM_BYTES) visit(text, place, 0, text.length);
      return place + 1;
    };
  }
  return (text, place, visit) => {
    let next = place;
    for (const match of text.matchAll(tokens)) {
      const [token, noWord] = match;
      if (noWord !== undefined) continue;
      for (let at = 0; at < token.length; at += MAX_TOKEN) {
        const part = token.length <= MAX_TOKEN ? token : token.slice(at, at + MAX_TOKEN);
        const term = termOf(part);
        // A stop word leaves a hole that a phrase has to have as well.
        if (term !== '') visit(term, next, match.index + at, match.index + at + part.length);
        next++;
      }
    }
    return next;
  };
}
