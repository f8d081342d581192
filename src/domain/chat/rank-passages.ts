import type { Passage } from '#src/domain/chat/passages.ts';
import { joinWords } from '#src/domain/chat/sentences.ts';
import type { ReadQuestion, Term } from '#src/domain/chat/read-question.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import { textDistance } from '#src/domain/documents/text-distance.ts';
import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';

export interface RankedPassage extends Passage {
  /** BM25 over stems, with a bonus for identifiers and phrases; 0 without a common term. */
  readonly score: number;
  readonly terms: ReadonlySet<Term>;
  /** Identifiers of the question that the passage contains. */
  readonly codes: readonly string[];
}

export interface Ranking {
  /** Best first, without those of score 0. */
  readonly passages: readonly RankedPassage[];
  /** Inverse document frequency of a term of the question; a term found nowhere counts as found once. */
  readonly weightOf: (term: Term) => number;
  /** Terms of the question that a text contains. */
  readonly termsIn: (text: string) => ReadonlySet<Term>;
  /** For each word of a text, the term that it is; null for other words. */
  readonly sequenceIn: (text: string) => readonly (Term | null)[];
}

const saturation = 1.2;
const lengthEffect = 0.5;
const ofContext = 0.5;
/** Weight of a word that differs by one letter, or of a compound that starts with the term. */
const ofLookalike = 0.5;
const ofExact = 4;

/** Ranks passages by their relevance to a question. */
export function rankPassages(question: ReadQuestion, passages: readonly Passage[]): Ranking {
  const { terms, phrases } = question;
  const read = termReader(question);
  const texts = passages.map((passage) => {
    const text = joinWords(passage.whole.slice(passage.start, passage.end));
    return { passage, text, counts: countTerms(read(text)) };
  });
  const average = texts.reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, texts.length);
  const found = new Map<Term, number>();
  for (const { counts } of texts) for (const term of counts.keys()) found.set(term, (found.get(term) ?? 0) + 1);
  const weightOf = (term: Term): number => {
    // A word that no passage has weighs like one that a single passage has.
    const among = found.get(term) ?? 1;
    return Math.log(1 + (passages.length - among + 0.5) / (among + 0.5));
  };
  const folded = phrases.map((phrase) => foldText(phrase).replaceAll(/\s+/g, ' '));
  const phrasesIn = (text: string): number => {
    if (folded.length === 0) return 0;
    const flat = foldText(text).replaceAll(/\s+/g, ' ');
    return folded.filter((phrase) => flat.includes(phrase)).length;
  };
  const ranked = texts.map(({ passage, text, counts }) => {
    const rest = saturation * (1 - lengthEffect + (lengthEffect * text.length) / average);
    const codes = codesIn(text, question.identifiers);
    let score = ofExact * (codes.length + phrasesIn(text));
    for (const [term, count] of counts) {
      const share = term.role === 'context' ? ofContext : 1;
      score += (share * weightOf(term) * count * (saturation + 1)) / (count + rest);
    }
    return { ...passage, score, terms: new Set(counts.keys()), codes };
  });
  return {
    passages: ranked.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score),
    weightOf,
    termsIn: (text) => new Set(terms.length === 0 ? [] : countTerms(read(text)).keys()),
    sequenceIn: (text) => read(text).map((match) => match?.[0] ?? null),
  };
}

/** Identifiers in a text. Skips the tokenization if the text cannot contain any of them. */
function codesIn(text: string, identifiers: readonly string[]): string[] {
  if (identifiers.length === 0) return [];
  const bare = foldText(text).replaceAll(/[^\p{L}\p{N}]+/gu, '');
  const possible = identifiers.filter((code) => bare.includes(code));
  if (possible.length === 0) return [];
  const all = new Set(identifiersOf(text));
  return possible.filter((code) => all.has(code));
}

type Match = readonly [term: Term, share: number];

/** Returns a function that finds the term of each word of a text. Caches the comparison of each distinct word. */
function termReader({ terms, stem }: ReadQuestion): (text: string) => (Match | null)[] {
  const byStem = new Map(
    terms.toReversed().flatMap((term) => term.stems.toReversed().map((one) => [one, term] as const)),
  );
  const known = new Map<string, Match | null>();
  const compare = (word: string): Match | null => {
    const exact = byStem.get(stem(word));
    if (exact !== undefined) return [exact, 1];
    const alike = terms.find((term) => looksAlike(term, word));
    return alike === undefined ? null : [alike, ofLookalike];
  };
  return (text) =>
    wordsOf(foldText(text)).map((word) => {
      let match = known.get(word);
      if (match === undefined) {
        match = compare(word);
        known.set(word, match);
      }
      return match;
    });
}

function countTerms(matches: readonly (Match | null)[]): Map<Term, number> {
  const counts = new Map<Term, number>();
  for (const match of matches) if (match !== null) counts.set(match[0], (counts.get(match[0]) ?? 0) + match[1]);
  return counts;
}

function looksAlike(term: Term, word: string): boolean {
  if (term.word.length < 5 || word.length < 5 || /\d/.test(term.word)) return false;
  if (!word.startsWith(term.word.slice(0, 2))) return false;
  if (term.stems.some((stem) => stem.length >= 5 && word.startsWith(stem))) return true;
  return Math.abs(word.length - term.word.length) <= 1 && textDistance(word, term.word) <= 1;
}
