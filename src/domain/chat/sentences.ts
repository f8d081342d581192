import { functionWordSet } from '#src/domain/embed-locally/stop-words.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';

/** Longest sentence, in characters. Longer ones are cut at line ends, at spaces, or anywhere. */
export const longestSentence = 600;
/** Shortest line that can be full, in characters: lines of receipts and addresses are shorter. */
const shortestFullLine = 45;
/** Length of a full line, as a share of the longest line around it. */
const fullShare = 0.75;
/** Most characters of the word before a full stop that are read. */
const longestAbbreviation = 16;

const stops = '.!?…';
const closers = '"\'”’»)]';
/** Ends of sentences in scripts without spaces. */
const unspacedStops = '。！？';
/** Abbreviations before anything but the first word of a sentence. */
const abbreviations = new Set(
  `mr mrs ms dr prof st vs cf approx ca inc ltd co corp jr sr dept est tel sq ft gen col capt sgt lt hon pres gov sen rep al eds
   bzw vgl evtl ggf inkl exkl zzgl mwst usw ing dipl hr fr mio mrd tsd sog geb str mme mlle env bd`.split(/\s+/),
);
/** Abbreviations before a number only, since they are words as well. */
const beforeNumbers = new Set(
  `no nr fig figs vol p pp art abs op ext ref sec ch jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun`.split(
    /\s+/,
  ),
);
/** Words after an ordinal number in German: \`30. April\`. */
const afterOrdinal = /^(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|okt|oct|nov|dez|dec|jahrhundert|klasse|etage|stock)/;
/** Words that begin a sentence after an acronym: `in the U.S. The`, but not `the U.S. Senate`. */
const openingWords = new Set([...functionWordSet('en'), ...functionWordSet('de'), ...functionWordSet('fr')]);
const listMark = /^(?:[-–—•*·▪●]|\(?\d{1,3}[.)]|\(?[a-z]\))\s/u;

/**
 * Spans of the sentences of a text. Lines of a paragraph are read as one text; lines of tables, forms and receipts stay apart. A sentence has
 * at most 600 characters. The work is linear in `to - from`.
 */
export function* sentencesIn(text: string, from: number, to: number): Generator<Span> {
  for (const paragraph of paragraphsIn(text, from, to)) {
    for (const sentence of splitParagraph(text, paragraph)) yield* cutLong(text, sentence);
  }
}

/** Spans of the lines of a text, each with at most 600 characters. */
export function* linesIn(text: string, from: number, to: number): Generator<Span> {
  for (const block of blocksIn(text, from, to)) for (const line of block) yield* cutLong(text, line);
}

const divided = /(?<=\p{Ll})[-\u00ad¬][ \t]*\r?\n[ \t]*(?=\p{Ll})/gu;

/** Puts together the words that line ends divide. */
export function joinWords(text: string): string {
  return /[-\u00ad¬][ \t\r]*\n/.test(text) ? text.replaceAll(divided, '') : text;
}

/** Text of a span on one line. */
export function joinLines(text: string): string {
  return joinWords(text).replaceAll(/\s+/gu, ' ').trim();
}

/** Lines of a text without blank lines between them. */
function* blocksIn(text: string, from: number, to: number): Generator<Span[]> {
  let block: Span[] = [];
  for (let at = from; at < to;) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline === -1 || newline > to ? to : newline;
    const line = trimmed(text, { start: at, end: lineEnd });
    if (line.start < line.end) block.push(line);
    else if (block.length > 0) {
      yield block;
      block = [];
    }
    at = lineEnd + 1;
  }
  if (block.length > 0) yield block;
}

function* paragraphsIn(text: string, from: number, to: number): Generator<Span> {
  for (const lines of blocksIn(text, from, to)) {
    const longest = lines.reduce((most, { start, end }) => Math.max(most, end - start), 0);
    const full = Math.max(shortestFullLine, fullShare * longest);
    let paragraph: { start: number; end: number } | undefined;
    let last: LineFacts | undefined;
    for (const line of lines) {
      const facts = factsOf(text, line);
      if (paragraph !== undefined && last !== undefined && goesOn(last, facts, full)) paragraph.end = line.end;
      else {
        if (paragraph !== undefined) yield paragraph;
        paragraph = { ...line };
      }
      last = facts;
    }
    if (paragraph !== undefined) yield paragraph;
  }
}

interface LineFacts {
  readonly length: number;
  /** First and last 80 characters. */
  readonly head: string;
  readonly tail: string;
  /** true: words rather than numbers, and not only capitals. */
  readonly isProse: boolean;
}

function factsOf(text: string, { start, end }: Span): LineFacts {
  const head = text.slice(start, Math.min(end, start + 80));
  const letters = head.match(/\p{L}/gu)?.length ?? 0;
  const isProse = letters >= 0.65 * head.length && /\p{Ll}/u.test(head) && /\p{L}\s+\S/u.test(head);
  return { length: end - start, head, tail: text.slice(Math.max(start, end - 80), end), isProse };
}

/** True if a line continues the sentence or paragraph of the line above it. */
function goesOn(above: LineFacts, line: LineFacts, full: number): boolean {
  if (listMark.test(line.head)) return false;
  const startsSmall = /^\p{Ll}/u.test(line.head);
  if (startsSmall && /\p{L}[-\u00ad¬]$/u.test(above.tail)) return true;
  if (!above.isProse || above.tail.endsWith(':')) return false;
  if (startsSmall && /[\p{L},;]$/u.test(above.tail)) return true;
  return above.length >= full && /^["'“„«([]?[\p{L}\p{N}\p{Sc}]/u.test(line.head);
}

function* splitParagraph(text: string, { start, end }: Span): Generator<Span> {
  let from = start;
  const stop = /[.!?…。！？]/g;
  stop.lastIndex = start;
  for (let found = stop.exec(text); found !== null && found.index < end; found = stop.exec(text)) {
    const { index } = found;
    let at = index + 1;
    while (at < end && stops.includes(text.charAt(at))) at += 1;
    const isPoint = found[0] === '.' && at === index + 1;
    while (at < end && closers.includes(text.charAt(at))) at += 1;
    stop.lastIndex = at;
    if (at >= end) break;
    if (!unspacedStops.includes(found[0])) {
      const next = nextWord(text, at, end);
      if (!/\s/.test(text.charAt(at)) || !startsSentence(next)) continue;
      if (isPoint && isAbbreviated(text.slice(Math.max(from, index - longestAbbreviation), index), next)) continue;
    }
    const sentence = trimmed(text, { start: from, end: at });
    if (sentence.start < sentence.end) yield sentence;
    from = at;
  }
  const rest = trimmed(text, { start: from, end });
  if (rest.start < rest.end) yield rest;
}

function nextWord(text: string, at: number, end: number): string {
  return /^\s*(\S{0,24})/u.exec(text.slice(at, Math.min(end, at + 40)))?.[1] ?? '';
}

const startsSentence = (word: string): boolean => /^["'“„«‘([¿¡]*[\p{Lu}\p{Lo}\p{N}\p{So}]/u.test(word);

/** True if the full stop after `before` belongs to an abbreviation, an initial or an ordinal number. */
function isAbbreviated(before: string, next: string): boolean {
  const word = foldText(/[\p{L}\p{N}.]+$/u.exec(before)?.[0] ?? '');
  if (/^\p{L}$/u.test(word)) return word !== 'i';
  if (/^\d{1,2}$/.test(word)) return afterOrdinal.test(foldText(next));
  if (beforeNumbers.has(word)) return /^\d/.test(next);
  const isShort = abbreviations.has(word) || /^(?:\p{L}{1,2}\.)+\p{L}{1,2}$/u.test(word);
  return isShort && !openingWords.has(foldText(next).replaceAll(/\P{L}/gu, ''));
}

function* cutLong(text: string, sentence: Span): Generator<Span> {
  let { start } = sentence;
  while (sentence.end - start > longestSentence) {
    const end = cutBefore(text, start);
    const piece = trimmed(text, { start, end });
    if (piece.start < piece.end) yield piece;
    start = end;
  }
  const rest = trimmed(text, { start, end: sentence.end });
  if (rest.start < rest.end) yield rest;
}

/** The last line end or space within the longest sentence; without one, a place that does not divide a surrogate pair. */
function cutBefore(text: string, start: number): number {
  const piece = text.slice(start, start + longestSentence);
  const blank = Math.max(piece.lastIndexOf('\n'), piece.lastIndexOf(' ', longestSentence));
  if (blank > 0) return start + blank;
  return start + longestSentence - (/[\uD800-\uDBFF]$/.test(piece) ? 1 : 0);
}

function trimmed(text: string, { start, end }: Span): Span {
  let [from, to] = [start, end];
  while (from < to && /\s/.test(text.charAt(from))) from += 1;
  while (to > from && /\s/.test(text.charAt(to - 1))) to -= 1;
  return { start: from, end: to };
}
