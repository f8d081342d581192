import { focusOf, type ChosenSources } from '#src/domain/chat/choose-sources.ts';
import type { RankedPassage } from '#src/domain/chat/rank-passages.ts';
import type { ReadQuestion, Term } from '#src/domain/chat/read-question.ts';
import { phrases } from '#src/domain/chat/phrases.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';

/** Label of answers without a model: none is configured, or nothing was found. */
export const extractiveLabel = 'local/extractive';

const mostQuotes = 3;
/** Lowest score of a quote, as a share of the best quote's score. */
const leastScore = 0.6;
/** Shorter lines can be labels, with the value in the next line. */
const shortLine = 30;
const longestQuote = 320;
const money = String.raw`EUR|USD|GBP|CHF|euros?|dollars?|pounds?|francs?|[€$£]`;
const amount = new RegExp(String.raw`\d[.,]\d\d(?!\d)|(?:${money})\s?\d|\d\s?(?:${money})`, 'iu');
const date = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\b(19|20)\d\d\b|\d{1,2}\.? \p{L}{3,}|\d{1,2}:\d\d/u;
const forKind = 1.5;
/** Weight of the first term, which names the requested fact: `the IBAN of Juniper Lane`. */
const forFirst = 2.5;
/** Weight of words that usually occur together, such as those of a name. */
const forNext = 0.6;
/** Weight of descriptions, which repeat the text in other words. */
const ofDescription = 0.7;

interface Line extends Span {
  readonly index: number;
  readonly passage: RankedPassage;
  readonly terms: ReadonlySet<Term>;
  /** The line, with the next one if the value seems to be there. */
  readonly text: string;
}

interface Quote {
  readonly index: number;
  readonly text: string;
  readonly score: number;
}

/** The lines and sentences that answer the question best, each with the citation mark of its document, or a sentence that there are none. */
export function extractAnswer(question: ReadQuestion, chosen: ChosenSources): string {
  const said = phrases[question.language];
  const isAboutAll = question.asksForGist && focusOf(question.terms).every(({ role }) => role === 'kind');
  const quotes = isAboutAll ? descriptionsIn(chosen) : linesThatAnswer(question, chosen);
  const best = quotes[0]?.score ?? 0;
  const kept: Quote[] = [];
  for (const quote of quotes) {
    const isSaid = kept.some(({ text }) => text.includes(quote.text) || quote.text.includes(text));
    if (kept.length < mostQuotes && quote.score >= leastScore * best && !isSaid) kept.push(quote);
  }
  if (kept.length === 0) return said.nothing;
  return `${said.passages}\n\n${kept.map(({ index, text }) => `- "${text}" [${index}]`).join('\n')}`;
}

function descriptionsIn({ documents }: ChosenSources): Quote[] {
  return documents.flatMap(({ passages }, at): Quote[] => {
    const passage = passages.find(({ field }) => field === 'description') ?? passages[0];
    if (passage === undefined) return [];
    const text = passage.whole.slice(passage.start, Math.min(passage.end, passage.start + longestQuote));
    return [{ index: at + 1, text: oneLine(text), score: 1 }];
  });
}

function linesThatAnswer(question: ReadQuestion, { documents, ranking }: ChosenSources): Quote[] {
  const focus = focusOf(question.terms);
  const about = new Set(focus);
  const lines = documents.flatMap(({ passages }, at) =>
    passages.flatMap((passage) => linesOf(question, passage, { ranking, index: at + 1 })),
  );
  const weightOf = (term: Term): number => {
    const among = lines.filter(({ terms }) => terms.has(term)).length;
    const rarity = Math.log(1 + (lines.length + 1) / (among + 0.5));
    return rarity * (term === focus[0] ? forFirst : about.has(term) ? 1 : 0.5);
  };
  const weights = new Map(question.terms.map((term) => [term, weightOf(term)]));
  return lines
    .filter(({ terms }) => focus.some((term) => terms.has(term)))
    .map(({ index, text, terms, passage }): Quote => {
      const found = [...terms].map((term) => weights.get(term) ?? 0).toSorted((one, other) => other - one);
      const sum = found.reduce((all, weight, at) => all + weight * forNext ** at, 0);
      const score =
        sum * (isOfKind(question, text) ? forKind : 1) * (passage.field === 'description' ? ofDescription : 1);
      return { index, text: oneLine(text), score };
    })
    .toSorted((one, other) => other.score - one.score);
}

/** Lines of recognized text; sentences of a description. */
function linesOf(
  question: ReadQuestion,
  passage: RankedPassage,
  { ranking, index }: { readonly ranking: ChosenSources['ranking']; readonly index: number },
): Line[] {
  const { whole, start, end, field } = passage;
  const border = field === 'description' ? /(?<=[.!?])\s+|\n/g : /\n/g;
  const spans: Span[] = [];
  let from = start;
  for (const { 0: gap, index: at } of whole.slice(start, end).matchAll(border)) {
    spans.push({ start: from, end: start + at });
    from = start + at + gap.length;
  }
  spans.push({ start: from, end });
  return spans.map((span, at) => {
    const text = whole.slice(span.start, span.end);
    const below = spans[at + 1];
    const isLabel = text.length < shortLine && !/\d/.test(text);
    const lacks = question.asksFor !== null && !isOfKind(question, text);
    const told = below !== undefined && (isLabel || lacks) ? whole.slice(span.start, below.end) : text;
    return { ...span, index, passage, terms: ranking.termsIn(text), text: told };
  });
}

function isOfKind({ asksFor }: ReadQuestion, text: string): boolean {
  if (asksFor === null) return false;
  return (asksFor === 'amount' ? amount : date).test(text);
}

function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/gu, ' ').trim().slice(0, longestQuote).trim();
}
