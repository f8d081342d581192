import { joinLines, sentencesIn } from '#src/domain/chat/sentences.ts';
import { createStopWords } from '#src/domain/embed-locally/stop-words.ts';
import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';
import {
  composeTitle,
  isPaper,
  nameOf,
  tellingFacts,
  type TitleParts,
} from '#src/domain/describe-locally/compose-title.ts';
import { afterGreeting, firstLines, isReadable } from '#src/domain/describe-locally/find-headline.ts';
import { guessDocumentType, type TypeGuess } from '#src/domain/describe-locally/document-type.ts';
import { findAmounts } from '#src/domain/describe-locally/find-amounts.ts';
import { findContacts } from '#src/domain/describe-locally/find-contacts.ts';
import { findDates } from '#src/domain/describe-locally/find-dates.ts';
import { findIdentifiers } from '#src/domain/describe-locally/find-identifiers.ts';
import { findRecipient } from '#src/domain/describe-locally/find-recipient.ts';
import { guessLanguage, languageNames } from '#src/domain/describe-locally/guess-language.ts';
import { knownFacts } from '#src/domain/describe-locally/known-facts.ts';
import type { KeyField } from '#src/domain/describe-locally/key-field.ts';
import type { PictureFacts } from '#src/domain/describe-locally/picture-facts.ts';
import type { DocumentDescription } from '#src/domain/ports/models.ts';

/** Input of a description: recognized text with its confidence (0..100), size in pixels, pages, brightness and colour. */
export interface DescribableDocument {
  readonly text: string;
  readonly avgConfidence: number;
  readonly pages: number;
  readonly width: number;
  readonly height: number;
  readonly picture: PictureFacts;
}

/** Characters to read, since key facts are on the first pages. */
const characters = 40_000;
const doubtful = 60;
/** Characters to look for a first sentence in, and the most of one. */
const openingCharacters = 3_000;
const longestOpening = 200;
const longestHeading = 120;
/** Numbers of other documents: a sentence about one would make this document look like that one. */
const code = /\d{4}|\d[-/.]\d/;
/** Fields to mention in sentences after the document number, in this order. */
const telling = ['reference', 'claim number', 'date', 'due date', 'total', 'closing balance'];

/** Derives title, type, language, key fields, tags and one to three sentences from the text, without inventing facts. */
export function describeDocument(document: DescribableDocument): DocumentDescription {
  const text = document.text.slice(0, characters);
  if (!/[\p{L}\p{N}]/u.test(text)) return describeWithoutText(document);
  const guess = guessDocumentType(text);
  const language = guessLanguage(text);
  const identifiers = findIdentifiers(text);
  const facts = knownFacts(text, guess.type);
  const others = [...identifiers, ...findDates(text), ...findAmounts(text), ...findContacts(text)].filter(
    ({ name, value }) =>
      (name !== 'phone' || !identifiers.some((other) => other.value.includes(value))) &&
      !facts.fields.some((known) => known.name === name || known.value === value),
  );
  const fields = [...facts.fields, ...others];
  const topics = topWords(text);
  const parts = { type: guess.type, text, fields, facts, topics };
  const languageName = language === 'und' ? undefined : languageNames[language];
  return {
    title: composeTitle(parts),
    description: [
      leadSentence(parts),
      isPaper(guess.type) ? '' : guess.type === 'letter' ? openingLines(text) : openingSentence(text),
      factsSentence(guess.type, fields, document.avgConfidence),
      shapeSentence(guess, document, { language: languageName, topics }),
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
    language,
    documentType: guess.type,
    keyFields: fields.map(({ name, value }) => ({ name, value })),
    tags: tagsOf(guess.type, languageName, document, topics),
  };
}

function describeWithoutText(document: DescribableDocument): DocumentDescription {
  const colour = document.picture.coloured ? 'in colour' : 'without colour';
  return {
    title: 'Image without recognized text',
    description:
      `No text was recognized. The image has ${pagesOf(document.pages)}; the first is ${document.width} x ${document.height} pixels, ` +
      `${document.picture.tone}, ${colour}. What it shows was not examined.`,
    language: 'und',
    documentType: 'unknown',
    keyFields: [],
    tags: tagsOf('unknown', undefined, document, ['no text']),
  };
}

/** Issuer, day and total in a sentence, for documents that have them. */
function leadSentence(parts: TitleParts): string {
  if (!isPaper(parts.type)) return '';
  const { party, date, total } = tellingFacts(parts);
  const recipient = findRecipient(parts.text);
  const told = [
    party === '' ? '' : `from ${party}`,
    recipient === '' ? '' : `to ${recipient}`,
    date === '' ? '' : `dated ${date}`,
    total === '' ? '' : `over ${total}`,
  ].filter((part) => part !== '');
  const [first = '', ...more] = told;
  // The last sentence names the type: a word that the description repeats would weigh more than in the text.
  return first === '' ? '' : `${[nameOf(first), ...more].join(', ')}.`;
}

/** The first whole sentence of a running text, or the first short lines of another one. */
function openingSentence(text: string): string {
  const head = afterGreeting(text.slice(0, openingCharacters));
  for (const { start, end } of sentencesIn(head, 0, head.length)) {
    const plain = joinLines(head.slice(start, end).replaceAll(/[\p{Cf}]|(?!\s)\p{Cc}/gu, ' ')).replaceAll('"', "'");
    const isWhole = /^["'(]?\p{L}.*[.!?]["')]?$/u.test(plain) && plain.length <= longestOpening && !code.test(plain);
    if (isWhole && plain.split(' ').length >= 5) return `It says "${plain}"`;
  }
  return openingLines(text);
}

/** The first short lines of a text, whole. */
function openingLines(text: string): string {
  const lines = firstLines(text)
    .slice(0, 4)
    .filter((line) => isReadable(line) && line.length <= longestHeading);
  return lines.length === 0
    ? ''
    : `It begins with ${lines.map((line) => `"${line.replaceAll('"', "'")}"`).join(', ')}.`;
}

function shapeSentence(
  guess: TypeGuess,
  document: DescribableDocument,
  { language, topics }: { readonly language: string | undefined; readonly topics: readonly string[] },
): string {
  const shape = `${pagesOf(document.pages)}${language === undefined ? '' : `, in ${language}`}`;
  if (guess.type === 'unknown') {
    const about = topics.length === 0 ? '' : `; often in it: ${topics.slice(0, 3).join(', ')}`;
    return `${shape.charAt(0).toUpperCase()}${shape.slice(1)}${about}.`;
  }
  const reason =
    guess.evidence.length === 0
      ? 'judging by its long running text'
      : `judging by the words ${guess.evidence.map((words) => `"${words}"`).join(', ')}`;
  const article = guess.type === 'minutes' ? '' : /^[aeiou]/.test(guess.type) ? 'an ' : 'a ';
  return `Looks like ${article}${guess.type}, ${reason}; ${shape}.`;
}

function factsSentence(type: string, fields: readonly KeyField[], confidence: number): string {
  const own = `${type.split(' ')[0]} number`;
  const named = [own, ...telling].flatMap((name) => fields.find((field) => field.name === name) ?? []).slice(0, 4);
  const facts = named.map(({ name, value }) => `${name} ${value}`).join(', ');
  const doubt =
    confidence < doubtful
      ? `recognition was unsure (confidence ${Math.round(confidence)} of 100), so details may be wrong`
      : '';
  if (facts === '') return doubt === '' ? '' : `Text ${doubt}.`;
  return `Found in the text: ${facts}${doubt === '' ? '' : `; text ${doubt}`}.`;
}

function tagsOf(
  type: string,
  language: string | undefined,
  document: DescribableDocument,
  words: readonly string[],
): string[] {
  const tags = [
    ...(type === 'unknown' ? [] : [type]),
    ...(language === undefined ? [] : [language.toLowerCase()]),
    ...(document.pages > 1 ? ['several pages'] : []),
    document.picture.coloured ? 'colour' : 'black and white',
    ...words,
  ];
  return [...new Set(tags)].slice(0, 12);
}

function pagesOf(pages: number): string {
  return pages === 1 ? '1 page' : `${pages} pages`;
}

/** The five most repeated content words of a text, for tags; ties in reading order. */
function topWords(text: string): string[] {
  const stopWords = createStopWords();
  const counts = new Map<string, number>();
  for (const word of wordsOf(foldText(text))) {
    if (word.length >= 5 && /^\p{L}+$/u.test(word) && !stopWords.has(word))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= 2)
    .toSorted((left, right) => right[1] - left[1])
    .slice(0, 5)
    .map(([word]) => word);
}
