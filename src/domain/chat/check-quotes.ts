import type { TextStage } from '#src/domain/chat/text-stage.ts';

/** Shortest quotation, in characters: shorter quoted text is a name or a term. */
const shortest = 12;
/** Most characters to hold back until a quotation ends and can be checked. */
const longest = 600;
const closing: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“”', '«': '»' };
const openers = /["“„«]/;
const alike: Readonly<Record<string, string>> = { '’': "'", '‘': "'", '–': '-', '—': '-', '−': '-' };

const flat = (text: string): string =>
  text.replaceAll(/[’‘–—−]/g, (character) => alike[character] ?? character).replaceAll(/\s+/gu, ' ');

/** Returns a check whether a text contains a quotation, ignoring white space and kinds of dashes; `...` matches any text. */
export function quoteLookup(texts: readonly string[]): (quote: string) => boolean {
  let read: readonly string[] | undefined;
  return (quote) => {
    read ??= texts.map(flat);
    const parts = flat(quote)
      .split(/\[?(?:\.{3}|…)\]?/u)
      .map((part) => part.trim().replace(/[.,;:!?]+$/u, ''))
      .filter((part) => part !== '');
    return parts.length > 0 && read.some((text) => parts.every((part) => text.includes(part)));
  };
}

/** Index of the first of these characters; -1 if there is none. */
function placeOf(marks: string, text: string): number {
  const places = Array.from(marks, (mark) => text.indexOf(mark)).filter((at) => at !== -1);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** Most quotations without a source that are reported. */
const mostReported = 20;

export interface QuoteCheck extends TextStage {
  /** Quotations that lost their marks: no source contains them, or they are too long to check; the first 20. */
  readonly unverified: readonly string[];
}

/** Removes the quotation marks of text that no source contains: the words stay, without the claim to be literal. */
export function createQuoteCheck(isLiteral: (quote: string) => boolean): QuoteCheck {
  const unverified: string[] = [];
  const report = (body: string): string => {
    if (unverified.length < mostReported) unverified.push(body.slice(0, longest).toWellFormed().trim());
    return body;
  };
  let held = '';
  /** Closing mark of a quotation that was too long to check, to be removed too. */
  let dropping = '';

  const takeQuote = (isEnd: boolean): string | null => {
    const open = held.charAt(0);
    const ends = closing[open] ?? '';
    let close = 1;
    while (close < held.length && !ends.includes(held.charAt(close))) close += 1;
    const isOver = close >= held.length;
    if (isOver && !isEnd && held.length <= longest) return null;
    const body = held.slice(1, close);
    if (isOver || body.length > longest) {
      dropping = isOver ? ends : '';
      held = isOver ? '' : held.slice(close + 1);
      return body.trim().length < shortest || (body.length <= longest && isLiteral(body)) ? body : report(body);
    }
    const quote = held.slice(0, close + 1);
    held = held.slice(close + 1);
    return body.trim().length < shortest || isLiteral(body) ? quote : report(body);
  };

  const run = (isEnd: boolean): string => {
    let out = '';
    while (held !== '') {
      if (dropping !== '') {
        const at = placeOf(dropping, held);
        out += at === -1 ? held : held.slice(0, at);
        held = at === -1 ? '' : held.slice(at + 1);
        if (at !== -1) dropping = '';
        continue;
      }
      const open = held.search(openers);
      out += open === -1 ? held : held.slice(0, open);
      held = open === -1 ? '' : held.slice(open);
      if (held === '') break;
      const quote = takeQuote(isEnd);
      if (quote === null) break;
      out += quote;
    }
    return out;
  };

  return {
    unverified,
    push(piece) {
      held += piece;
      return run(false);
    },
    end: () => run(true),
  };
}
