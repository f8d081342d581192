import type { Certainty } from '#src/contracts/resources/chat.ts';
import { focusOf, type ChosenSources } from '#src/domain/chat/choose-sources.ts';
import type { RankedPassage } from '#src/domain/chat/rank-passages.ts';
import { isOfKind, type ReadQuestion, type Term } from '#src/domain/chat/read-question.ts';
import { certaintyOf } from '#src/domain/chat/certainty/certainty.ts';
import { phrases, type NoModel } from '#src/domain/chat/phrases.ts';
import { joinLines, joinWords } from '#src/domain/chat/sentences.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';

/** Label of answers without a model: none is configured, or nothing was found. */
export const extractiveLabel = 'local/extractive';

const mostQuotes = 3;
/** Lowest score of a quote, as a share of the best quote's score. */
const leastScore = 0.5;
/** Shorter lines can be labels, with the value in the next line. */
const shortLine = 30;
/** Longer lines are sentences, which stand for themselves. */
const shortSentence = 60;
/** Weight of the passage around a sentence. */
const ofPassage = 0.4;
const forKind = 1.5;
/** Weight of the first term, which names the requested fact: `the IBAN of Juniper Lane`. */
const forFirst = 1.5;
/** Weight of words that usually occur together, such as those of a name. */
const forNext = 0.8;
/** Weight of descriptions, which repeat the text in other words. */
const ofDescription = 0.55;

interface Sentence extends Span {
  readonly index: number;
  readonly passage: RankedPassage;
  readonly terms: ReadonlySet<Term>;
  /** The sentence, or the line with the next one if the value seems to be there. */
  readonly text: string;
}

interface Quote {
  readonly index: number;
  readonly text: string;
  readonly score: number;
  /** The sentence itself, without the lines around it; null for a description of a whole document. */
  readonly sentence: string | null;
}

export interface ExtractedAnswer {
  readonly text: string;
  readonly certainty: Certainty;
}

/** The sentences that answer the question best, each with the citation mark of its document, or a sentence that there are none. */
export function extractAnswer(
  question: ReadQuestion,
  chosen: ChosenSources,
  reason: NoModel = 'none',
): ExtractedAnswer {
  const said = phrases[question.language];
  const isAboutAll = question.asksForGist && focusOf(question.terms).every(({ role }) => role === 'kind');
  const quotes = chosen.offTopic ? [] : isAboutAll ? descriptionsIn(chosen) : sentencesThatAnswer(question, chosen);
  const [first] = quotes;
  const kept: Quote[] = [];
  for (const quote of quotes) {
    const isSaid = kept.some(({ text }) => text.includes(quote.text) || quote.text.includes(text));
    if (kept.length < mostQuotes && quote.score >= leastScore * (first?.score ?? 0) && !isSaid) kept.push(quote);
  }
  if (first === undefined) return { text: said.nothing, certainty: 'unsure' };
  const certainty = first.sentence === null ? 'likely' : certaintyOf(question, first.sentence, chosen.ranking);
  const because = reason === 'failed' ? said.because.failed : said.because.none;
  const lines = kept.map(({ index, text }) => `- "${text}" [${index}]`);
  return { text: `${because}; ${said.passages[certainty]}\n\n${lines.join('\n')}`, certainty };
}

function descriptionsIn({ documents }: ChosenSources): Quote[] {
  return documents.flatMap(({ passages }, at): Quote[] => {
    const passage = passages.find(({ field }) => field === 'description') ?? passages[0];
    if (passage === undefined) return [];
    const text = joinLines(passage.whole.slice(passage.start, passage.end));
    return [{ index: at + 1, text, score: 1, sentence: null }];
  });
}

function sentencesThatAnswer(question: ReadQuestion, { documents, ranking }: ChosenSources): Quote[] {
  const focus = focusOf(question.terms);
  const about = new Set(focus);
  const sentences = documents.flatMap(({ passages, fits }, at) =>
    (fits ? passages : []).flatMap((passage) => sentencesOf(question, passage, { ranking, index: at + 1 })),
  );
  const weightOf = (term: Term): number => {
    const among = sentences.filter(({ terms }) => terms.has(term)).length;
    const rarity = Math.log(1 + (sentences.length + 1) / (among + 0.5));
    return rarity * (term === focus[0] ? forFirst : about.has(term) ? 1 : 0.5);
  };
  const weights = new Map(question.terms.map((term) => [term, weightOf(term)]));
  return sentences
    .filter(({ terms }) => focus.some((term) => terms.has(term)))
    .map(({ index, text, terms, passage }): Quote => {
      const found = [...terms].map((term) => weights.get(term) ?? 0).toSorted((one, other) => other - one);
      const sum = found.reduce((all, weight, at) => all + weight * forNext ** at, 0);
      const score =
        (sum + ofPassage * passage.score) *
        (question.asksFor !== null && isOfKind(question.asksFor, text) ? forKind : 1) *
        (passage.field === 'description' ? ofDescription : 1);
      return { index, text: joinLines(text), score, sentence: joinWords(text) };
    })
    .toSorted((one, other) => other.score - one.score);
}

function sentencesOf(
  question: ReadQuestion,
  passage: RankedPassage,
  { ranking, index }: { readonly ranking: ChosenSources['ranking']; readonly index: number },
): Sentence[] {
  const { whole, sentences } = passage;
  return sentences.map((span, at) => {
    const text = whole.slice(span.start, span.end);
    const below = sentences[at + 1];
    const isLabel = text.length < shortLine && !/\d/.test(text);
    const lacks = text.length < shortSentence && question.asksFor !== null && !isOfKind(question.asksFor, text);
    const told = below !== undefined && (isLabel || lacks) ? whole.slice(span.start, below.end) : text;
    return { ...span, index, passage, terms: ranking.termsIn(joinWords(text)), text: told };
  });
}
