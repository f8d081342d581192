import type { TextStage } from '#src/domain/chat/text-stage.ts';

/** A mark may name several sources: `[1, 3]`. */
const mark = /( ?)\[\s?(\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,8})\s?\]/g;
const longestMark = 80;
/** Nobody writes longer words; one without a blank is given one, so that little is held back. */
const longestWord = 400;
const scheme = /[a-z0-9+.-]*:\/\/+|(?:java|vb)script:|data:(?=[a-z]+\/)|www\.(?=[^\s.,;!?])/gi;
const longRun = new RegExp(`[!-~]{${longestWord}}(?=[!-~])`, 'g');

/**
 * Makes an answer harmless for whatever renders it, piece by piece: only marks `[n]` of the `sources` there are stay as they are. No
 * image, link or HTML gets through, in Markdown or without: brackets become parentheses, tags lose their sense, addresses their
 * scheme. Pieces are cut at blanks, and no construct that is looked for goes over one. `cited` fills as marks go out.
 */
export function createPlainMarkup(sources: number): TextStage & { readonly cited: ReadonlySet<number> } {
  const cited = new Set<number>();
  let held = '';

  const clean = (text: string): string => {
    const stays: string[] = [];
    // Marks step aside for a character that no text has, so that nothing below sees their brackets.
    let plain = text.replaceAll('\u0000', '').replaceAll(mark, (...found: [string, string, string, number, string]) => {
      const [all, blank, numbers, at, whole] = found;
      const known = [...new Set(numbers.split(/[,;]/).map(Number))].filter((n) => n >= 1 && n <= sources);
      for (const n of known) cited.add(n);
      if (known.length === 0) return /^[^\s.,;!?]/.test(whole.slice(at + all.length)) ? blank : '';
      stays.push(known.map((n) => `[${n}]`).join(''));
      return `${blank}\u0000`;
    });
    plain = withoutSchemes(plain)
      .replaceAll('[', '(')
      .replaceAll(']', ')')
      .replaceAll(/<(?=[a-z/!?])/gi, '< ')
      .replaceAll('!\u0000', '! \u0000');
    // A mark before `(` or `:` would be a link, or name the target of all marks.
    return plain.replaceAll(
      /\u0000(?=([(:])?)/g,
      (_, next?: string) => (stays.shift() ?? '') + (next === undefined ? '' : ' '),
    );
  };

  return {
    cited,
    push(piece) {
      held = broken(held + piece);
      const cut = safeCut(held);
      const ready = held.slice(0, cut);
      held = held.slice(cut);
      return clean(ready);
    },
    end() {
      const rest = held;
      held = '';
      return clean(rest);
    },
  };
}

/** What is left may be a scheme again: until nothing is. */
function withoutSchemes(text: string): string {
  for (let now = text; ;) {
    const less = now.replaceAll(scheme, '');
    if (less === now) return now;
    now = less;
  }
}

function broken(text: string): string {
  return text.replaceAll(longRun, '$& ');
}

/** Up to the last blank or foreign letter, which no construct goes over, but before a mark that may not be over. */
function safeCut(text: string): number {
  let cut = text.length;
  while (cut > 0 && isWithin(text.charCodeAt(cut - 1))) cut -= 1;
  // The blank itself waits with the next word; a foreign letter goes.
  if (cut > 0 && isBlank(text.charCodeAt(cut - 1))) cut -= 1;
  // The word that a mark begins in may begin in another mark.
  for (let open = openMark(text, cut); open !== -1; open = openMark(text, cut)) {
    cut = open;
    while (cut > 0 && isWithin(text.charCodeAt(cut - 1))) cut -= 1;
    if (cut > 0 && isBlank(text.charCodeAt(cut - 1))) cut -= 1;
  }
  const last = text.charCodeAt(cut - 1);
  return last >= 0xd800 && last < 0xdc00 ? cut - 1 : cut;
}

function openMark(text: string, cut: number): number {
  const open = cut === 0 ? -1 : text.lastIndexOf('[', cut - 1);
  return open !== -1 && cut - open <= longestMark && !text.slice(open, cut).includes(']') ? open : -1;
}

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13;
const isWithin = (code: number): boolean => code < 128 && !isBlank(code);
