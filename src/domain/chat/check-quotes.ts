import type { TextStage } from '#src/domain/chat/text-stage.ts';

/** Shorter ones are names and terms, not quotations. */
const shortest = 12;
/** Held back at most: a quotation is told when it is known to be one. */
const longest = 600;
const closing: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“”', '«': '»' };
const openers = /["“„«]/;
const alike: Readonly<Record<string, string>> = { '’': "'", '‘': "'", '–': '-', '—': '-', '−': '-' };

const flat = (text: string): string =>
  text.replaceAll(/[’‘–—−]/g, (character) => alike[character] ?? character).replaceAll(/\s+/gu, ' ');

/** Whether a quotation stands in one of the texts, but for white space and the kind of dashes; what `...` leaves out may be anything. */
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

/** Of the first of these characters; -1 where there is none. */
function placeOf(marks: string, text: string): number {
  const places = Array.from(marks, (mark) => text.indexOf(mark)).filter((at) => at !== -1);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** Takes the quotation marks off what is no quotation: the words stay, the claim that they are literal goes. */
export function createQuoteCheck(isLiteral: (quote: string) => boolean): TextStage {
  let held = '';
  /** Of a quotation that was too long to wait for: its closing mark goes, too. */
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
      return body;
    }
    const quote = held.slice(0, close + 1);
    held = held.slice(close + 1);
    return body.trim().length < shortest || isLiteral(body) ? quote : body;
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
    push(piece) {
      held += piece;
      return run(false);
    },
    end: () => run(true),
  };
}
