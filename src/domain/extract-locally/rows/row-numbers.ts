import { currency, readFigure, readMoney } from '#src/domain/segment-locally/read-number.ts';
import type { PlacedWord } from '#src/domain/layout/rows.ts';

/** A number in a row. `left` and `right` are fractions of the page. */
export interface RowNumber {
  readonly value: number;
  /** Two decimals, a currency or thousands: `2.50`, `$3`, `59,000`. */
  readonly isMoney: boolean;
  readonly isPercent: boolean;
  /** Has an `@` before it: the price of one. */
  readonly isEach: boolean;
  /** ISO 4217 code; null if the word has none. */
  readonly currency: string | null;
  readonly left: number;
  readonly right: number;
  readonly start: number;
  readonly end: number;
  /** Index of its word in the row; a number that recognition split has the next ones, too. */
  readonly word: number;
  readonly words: number;
  /** Has an `x` or a unit of pieces beside it: `2x`, `3PCS`. */
  readonly isCount: boolean;
}

const figure = String.raw`\d{1,3}(?:[.,']\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|\d{1,9}(?:[.,]\d{1,6})?`;
/** A number that is a word, or beside `x`, `*` and `@` in it: `7.90*3`, `x3`, `2PCS`, `RM5.00`, `5.30SR`, `(5.59)`. */
const written = new RegExp(
  String.raw`(?<![\p{L}\d.,/:#-]|\d[xX])(?:(?<sign>[-−(])?(?:(?<before>${currency}|rp)\.? ?|[xX@*])?(?<minus>[-−])?)(?<figure>${figure})` +
    String.raw`(?<after>${currency})?(?<percent>%)?(?<back>[-−](?!\d))?(?<unit>[xX]|pcs?|pkt|ea|units?|stk|[A-Z]{1,2})?(?![\p{L}\d/:]|[.,-]\d)`,
  'giu',
);
const longestWord = 40;

/** Words of a row with the decimals that recognition split off put back: `6.` and `00`. */
function joinedWords(
  words: readonly PlacedWord[],
): { readonly text: string; readonly from: number; readonly to: number }[] {
  const joined: { text: string; from: number; to: number }[] = [];
  for (const [at, { text }] of words.entries()) {
    const last = joined.at(-1);
    const splits =
      last !== undefined &&
      ((/\d[.,]$/u.test(last.text) && /^\d{2}\D?$/u.test(text)) ||
        (/\d$/u.test(last.text) && /^[.,]\d{2}\D?$/u.test(text)));
    if (splits && at - last.from < 3) {
      last.text += text;
      last.to = at + 1;
    } else joined.push({ text, from: at, to: at + 1 });
  }
  return joined;
}

/** All numbers of a row, from left to right. */
export function numbersOf(words: readonly PlacedWord[]): RowNumber[] {
  return joinedWords(words).flatMap(({ text, from, to }) => {
    const [first, last] = [words[from], words[to - 1]];
    if (first === undefined || last === undefined || text.length > longestWord || !/\d/u.test(text)) return [];
    const width = last.box[0] + last.box[2] - first.box[0];
    return [...text.matchAll(written)].flatMap((match): RowNumber[] => {
      const { sign, minus, back, before, after, percent, unit = '', figure: digits = '' } = match.groups ?? {};
      const value = Number(readFigure(digits));
      const decimals = /[.,](\d+)$/u.exec(digits)?.[1]?.length ?? 0;
      // Scales print three decimals: `0.640KG`.
      const isWeighed = /^(?:kg|lb|l)$/iu.test(unit) && decimals === 3;
      // Letters after a count are its unit, or it is a size: `500G`.
      const isSize = /^[a-z]{1,2}$/iu.test(unit) && !/^(?:x|pcs?)$/iu.test(unit) && decimals !== 2 && !isWeighed;
      if (!Number.isFinite(value) || isSize) return [];
      const isNegative =
        minus !== undefined ||
        back !== undefined ||
        sign === '-' ||
        sign === '−' ||
        (sign === '(' && text.endsWith(')'));
      const named = after ?? before;
      return [
        {
          value: isNegative ? -value : value,
          isMoney: percent === undefined && !isWeighed && (decimals >= 2 || named !== undefined),
          isPercent: percent !== undefined,
          isEach: /^[^\d]?@/u.test(match[0]) || text[match.index - 1] === '@',
          currency: named === undefined ? null : (readMoney(`${named} 1.00`).split(' ')[1] ?? null),
          left: first.box[0] + (width * match.index) / text.length,
          right: first.box[0] + (width * (match.index + match[0].length)) / text.length,
          start: to - from > 1 ? first.start : first.start + match.index,
          end: to - from > 1 ? last.end : first.start + match.index + match[0].length,
          word: from,
          words: to - from,
          isCount: /^(?:x|pcs?)$/iu.test(unit) || /^[x*]/iu.test(match[0]),
        },
      ];
    });
  });
}
