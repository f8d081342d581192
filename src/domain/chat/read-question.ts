import {
  askingWordSets,
  followUpWords,
  gistWords,
  kindWords,
  questionLanguages,
  totalWord,
  wordsLike,
  type QuestionLanguage,
} from '#src/domain/chat/question-words.ts';
import { queryIdentifiers } from '#src/domain/documents/identifiers.ts';
import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';
import type { Stem } from '#src/domain/embed-locally/lexical-features.ts';

/** Kinds of facts that a question can ask for and that a text shows by its form. */
export type FactKind = 'amount' | 'date';

export type Stemmers = (language: QuestionLanguage) => Stem;

export interface Term {
  /** The word, folded as by `foldText`. */
  readonly word: string;
  /** Stems of the word and its synonyms. */
  readonly stems: readonly string[];
  /** `focus`: subject of the question; `kind`: kind of document; `context`: from the previous question. */
  readonly role: 'focus' | 'kind' | 'context';
  /** true: written like a name or number: it tells subjects apart better than other words. */
  readonly isName: boolean;
}

/** A parsed question. */
export interface ReadQuestion {
  readonly text: string;
  readonly language: QuestionLanguage;
  readonly stem: Stem;
  /** Query for the document search. */
  readonly searchText: string;
  readonly terms: readonly Term[];
  readonly identifiers: readonly string[];
  /** Long numbers among the identifiers, such as that of an invoice, which a document has or not. */
  readonly codes: readonly string[];
  /** Quoted phrases, which a text must contain literally. */
  readonly phrases: readonly string[];
  readonly asksFor: FactKind | null;
  /** true: asks for a summary, not for a fact. */
  readonly asksForGist: boolean;
}

const most = { characters: 4_000, terms: 24, context: 8, searchText: 900 } as const;
/** Fewest digits of a number that a document must have. Shorter ones, such as years, count as words. */
const leastDigits = 6;
const sets = askingWordSets();
/** Matches `What is this about?`, not `What about this?`. */
const endsInAbout = /\babout\P{L}*$/u;
const amountWords =
  /\b(how much|amount|total|price|cost|sum|wie ?viel|\w*betrag|\w*summe|preis|kostet|combien|montant|prix)\b/;
/** Words for specific amounts; questions with one do not ask for the total. */
const amountLike = new Set([...wordsLike(totalWord), ...wordsLike('price'), ...wordsLike('tax'), ...wordsLike('pay')]);
const dateWords = /\b(when|date|deadline|due|day|wann|datum|frist|fallig|quand|echeance)\b/;

/**
 * Parses a question. A question that has few words of its own, or refers back, gets the key words of the previous question as context.
 */
export function readQuestion(question: string, before: string | undefined, stemmers: Stemmers): ReadQuestion {
  const text = question.slice(0, most.characters);
  const folded = foldText(text).replaceAll(/\bcomes? to\b/g, totalWord);
  const words = wordsOf(folded);
  const language = languageOf(words);
  const stem = stemmers(language);
  const content = contentOf(words, language).slice(0, most.terms);
  const asksForGist =
    (words.some((word) => gistWords.has(word)) || endsInAbout.test(folded)) &&
    content.every((word) => gistWords.has(word) || kindWords.has(word));
  const asksFor = amountWords.test(folded) ? 'amount' : dateWords.test(folded) ? 'date' : null;
  const own = withTotal(
    content.filter((word) => !asksForGist || !gistWords.has(word)),
    asksFor,
  );
  const context =
    before !== undefined && pointsBack(words, own)
      ? contentOf(wordsOf(foldText(before.slice(0, most.characters))), language)
      : [];
  const said = wordsOf(foldText(text));
  const meant = own.filter((word) => !said.includes(word));
  const fresh = context.filter((word) => !own.includes(word)).slice(0, most.context);
  const names = namesIn(text);
  const identifiers = queryIdentifiers(text);
  const term =
    (role: Term['role'] | null) =>
    (word: string): Term => ({
      word,
      stems: [...new Set([word, ...wordsLike(word)].map(stem))],
      role: role ?? (kindWords.has(word) ? 'kind' : 'focus'),
      isName: names.has(word),
    });
  return {
    text,
    language,
    stem,
    searchText: [text.slice(0, most.searchText - 200), ...meant, ...fresh, ...otherWords(own)]
      .join(' ')
      .slice(0, most.searchText),
    terms: distinct([...own.map(term(null)), ...fresh.map(term('context'))]),
    identifiers,
    codes: identifiers.filter((one) => one.replaceAll(/\D/g, '').length >= leastDigits),
    phrases: [...text.matchAll(/["“„]([^"“”„]{3,200})["”“]/gu)].map(([, phrase = '']) => phrase.trim()).slice(0, 4),
    asksFor,
    asksForGist,
  };
}

/** Folded words with a capital or a digit, without the first word. */
function namesIn(text: string): ReadonlySet<string> {
  const [, ...words] = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => /[\p{Lu}\p{N}]/u.test(word)).flatMap((word) => wordsOf(foldText(word))));
}

/** Adds the word for the total: `How much is the invoice?` asks for it. */
function withTotal(words: readonly string[], asksFor: ReadQuestion['asksFor']): readonly string[] {
  if (asksFor !== 'amount' || !words.some((word) => kindWords.has(word))) return words;
  const isSaid = words.some((word) => amountLike.has(word));
  return isSaid ? words : [...words, totalWord];
}

/** Synonyms and translations of the words. */
function otherWords(words: readonly string[]): string[] {
  return words
    .flatMap((word) =>
      wordsLike(word)
        .filter((other) => other !== word)
        .slice(0, 2),
    )
    .slice(0, 6);
}

/** Keeps the first of terms with the same meaning. */
function distinct(terms: readonly Term[]): Term[] {
  const seen = new Set<string>();
  return terms.filter(({ stems: [stem = ''], stems }) => {
    const isNew = !seen.has(stem);
    for (const one of stems) seen.add(one);
    return isNew;
  });
}

function contentOf(words: readonly string[], language: QuestionLanguage): string[] {
  return [...new Set(words)].filter((word) => !sets[language].has(word) && (word.length > 1 || /\d/.test(word)));
}

function pointsBack(words: readonly string[], own: readonly string[]): boolean {
  return own.length < 2 || words.slice(0, 12).some((word) => followUpWords.has(word));
}

/** Language by question and function words; English if undecided. */
function languageOf(words: readonly string[]): QuestionLanguage {
  const hits = (language: QuestionLanguage): number => words.filter((word) => sets[language].has(word)).length;
  return questionLanguages.toSorted((one, other) => hits(other) - hits(one))[0] ?? 'en';
}

const money = String.raw`EUR|USD|GBP|CHF|euros?|dollars?|pounds?|francs?|[€$£]`;
const amount = new RegExp(String.raw`\d[.,]\d\d(?!\d)|(?:${money})\s?\d|\d\s?(?:${money})`, 'iu');
const date = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\b(1\d|20)\d\d\b|\d{1,2}\.? \p{L}{3,}|\d{1,2}:\d\d/u;

/** True if the text holds an amount, or a date or time. */
export function isOfKind(kind: FactKind, text: string): boolean {
  return (kind === 'amount' ? amount : date).test(text);
}
