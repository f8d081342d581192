import type { TextStage } from '#src/domain/chat/text-stage.ts';

/** Citation mark, possibly of several sources: `[1, 3]`. */
const mark = /( ?)\[\s?(\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,8})\s?\]/g;
const longestMark = 80;
/** Longest word, in characters. A longer one gets a space, which bounds the text that is held back. */
const longestWord = 400;
const scheme = /[a-z0-9+.-]*:\/\/+|(?:java|vb)script:|data:(?=[a-z]+\/)|www\.(?=[^\s.,;!?])/gi;
const longRun = new RegExp(`[!-~]{${longestWord}}(?=[!-~])`, 'g');

/**
 * Makes a streamed answer safe for any renderer: removes images, links and HTML, also in Markdown. Brackets become parentheses, tags and
 * URL schemes are defused; only citation marks `[n]` of existing sources stay. Text is processed up to a space, and no removed construct
 * contains one. `cited` collects the numbers of the marks that were sent.
 */
export function createPlainMarkup(sources: number): TextStage & { readonly cited: ReadonlySet<number> } {
  const cited = new Set<number>();
  let held = '';

  const clean = (text: string): string => {
    const stays: string[] = [];
    // Replaces citation marks by NUL, so that the steps below do not see their brackets.
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
    // A mark before `(` or `:` would be a Markdown link or link definition.
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

/** Removes URL schemes repeatedly, since a removal can leave another scheme. */
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

/** Index up to which the text is complete: the last space or non-Latin letter, but before an unfinished citation mark. */
function safeCut(text: string): number {
  let cut = text.length;
  while (cut > 0 && isWithin(text.charCodeAt(cut - 1))) cut -= 1;
  // Keeps the space with the next word.
  if (cut > 0 && isBlank(text.charCodeAt(cut - 1))) cut -= 1;
  // The word before an open mark can itself start inside another mark.
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
