import type { OcrChange } from '#src/contracts/operators/corrections.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { OcrLine, OcrPage, OcrWord } from '#src/domain/ports/ocr-engine.ts';

/** A change, and its position in the request for error messages. */
export interface PlacedChange extends OcrChange {
  readonly at: number;
}

/** Confidence of what a person or an agent wrote. */
const certain = 100;

function refused(at: number, field: 'page' | 'line' | 'word', message: string): AppError {
  const pointer = `/changes/${at}/${field}`;
  return new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
    errors: [{ pointer, code: 'invalid_value', message }],
  });
}

/** Changes by page. Errors: `request.invalid` for a place that is named twice, or a line with a change of its own and of a word. */
export function changesByPage(changes: readonly OcrChange[]): ReadonlyMap<number, readonly PlacedChange[]> {
  const seen = new Map<string, 'line' | 'words'>();
  const taken = new Set<string>();
  for (const [at, { page, line, word }] of changes.entries()) {
    const ofLine = `${page}/${line}`;
    const kind = word === undefined ? 'line' : 'words';
    const place = `${ofLine}/${word ?? ''}`;
    if (taken.has(place) || (seen.get(ofLine) ?? kind) !== kind)
      throw refused(at, 'line', 'another change names this line or word: send one for each, or the whole line');
    taken.add(place);
    seen.set(ofLine, kind);
  }
  return Map.groupBy(
    changes.map((change, at) => ({ ...change, at })),
    ({ page }) => page,
  );
}

/** Error: `request.invalid` for a page that the result does not have. */
export function requirePages(changes: ReadonlyMap<number, readonly PlacedChange[]>, pages: ReadonlySet<number>): void {
  for (const [page, [first]] of changes)
    if (!pages.has(page)) throw refused(first?.at ?? 0, 'page', `the result has no page ${page}`);
}

/** Mean confidence, weighted by length; 0 without words. */
function meanConfidence(words: readonly OcrWord[]): number {
  const characters = words.reduce((sum, { text }) => sum + text.length, 0);
  const weighted = words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  return characters === 0 ? 0 : weighted / characters;
}

/** Words of a line that was written anew: boxes of the words it had if there are as many, else parts of the line by length. */
function rewritten(line: OcrLine, text: string): readonly OcrWord[] {
  const parts = text.split(/\s+/u).filter((part) => part !== '');
  if (parts.length === line.words.length)
    return line.words.map((word, at) => {
      const part = parts[at] ?? '';
      return part === word.text ? word : { text: part, confidence: certain, box: word.box };
    });
  const [x, y, width, height] = line.box;
  const characters = parts.reduce((sum, part) => sum + part.length + 1, -1);
  let before = 0;
  return parts.map((part) => {
    const left = x + (width * before) / characters;
    before += part.length + 1;
    return { text: part, confidence: certain, box: [left, y, (width * part.length) / characters, height] };
  });
}

/** Text of the line with its words replaced where they stand. */
function textWith(line: OcrLine, words: readonly string[]): string {
  let text = '';
  let from = 0;
  for (const [at, { text: was }] of line.words.entries()) {
    const found = line.text.indexOf(was, from);
    // The text does not repeat its words: they are its text then.
    if (found === -1) return words.filter((word) => word !== '').join(' ');
    text += line.text.slice(from, found) + (words[at] ?? '');
    from = found + was.length;
  }
  return (text + line.text.slice(from)).replaceAll(/ {2,}/g, ' ').trim();
}

function correctLine(line: OcrLine, changes: readonly PlacedChange[]): OcrLine | null {
  const whole = changes.find(({ word }) => word === undefined);
  if (whole !== undefined) {
    if (whole.text === '') return null;
    const words = rewritten(line, whole.text);
    return { ...line, text: whole.text, words, confidence: meanConfidence(words) };
  }
  const texts = new Map(changes.map(({ word = -1, text, at }) => [word, { text, at }]));
  for (const [word, { at }] of texts)
    if (word >= line.words.length) throw refused(at, 'word', `the line has ${line.words.length} words`);
  const words = line.words.map((word, at) => {
    const change = texts.get(at);
    return change === undefined ? word : { ...word, text: change.text, confidence: certain };
  });
  const left = words.filter(({ text }) => text !== '');
  const text = textWith(
    line,
    words.map((word) => word.text),
  );
  return left.length === 0 ? null : { ...line, text, words: left, confidence: meanConfidence(left) };
}

/**
 * The page with corrected lines and words. Boxes stay; corrected words have a confidence of 100, and lines and words without a text are
 * left out. Error: `request.invalid` for a line or word that the page does not have. Source: docs/decisions/0163.
 */
export function correctPage(page: OcrPage, changes: readonly PlacedChange[]): OcrPage {
  const byLine = Map.groupBy(changes, ({ line }) => line);
  for (const [line, [first]] of byLine)
    if (line >= page.lines.length) throw refused(first?.at ?? 0, 'line', `the page has ${page.lines.length} lines`);
  const lines = page.lines.flatMap((line, at) => {
    const ofLine = byLine.get(at);
    return ofLine === undefined ? [line] : (correctLine(line, ofLine) ?? []);
  });
  const words = lines.flatMap((line) => line.words);
  return {
    ...page,
    lines,
    text: lines.map(({ text }) => text).join('\n'),
    confidence: meanConfidence(words),
  };
}
