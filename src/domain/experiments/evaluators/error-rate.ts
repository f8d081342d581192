import { editDistance } from '#src/domain/documents/text-distance.ts';
import { evaluatorLimits } from '#src/contracts/experiments/evaluator.ts';

export interface Folding {
  readonly ignoreCase: boolean;
  readonly foldWhitespace: boolean;
}

/** Text as metrics compare it: NFKC, then folded as the evaluator says. */
export function folded(text: string, { ignoreCase, foldWhitespace }: Folding): string {
  const composed = text.normalize('NFKC');
  const cased = ignoreCase ? composed.toLowerCase().normalize('NFKC') : composed;
  return foldWhitespace ? cased.replace(/\s+/gu, ' ').trim() : cased;
}

/** Start of a text, of at most 40,000 UTF-16 code units: comparing takes time in proportion to the product of the lengths. */
export function bounded(text: string): { readonly text: string; readonly note: string | null } {
  const most = evaluatorLimits.textCharacters;
  if (text.length <= most) return { text, note: null };
  return { text: text.slice(0, most).toWellFormed(), note: `Only the first ${most} characters are compared.` };
}

/** Characters as readers see them: extended grapheme clusters. Source: Unicode Standard Annex 29. */
export function graphemesOf(text: string): string[] {
  return Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);
}

export const wordsOf = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Number of insertions, deletions and replacements between two sequences. Equal ends are left out first: they cost nothing. */
export function editsBetween(from: readonly string[], to: readonly string[]): number {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const [one, other] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  return editDistance(
    onlyShared(one, new Set(other), 'of the first'),
    onlyShared(other, new Set(one), 'of the second'),
  );
}

/** Items that the other sequence lacks match nothing, so one number does for all of them: there are at most 65,536. */
function onlyShared(items: readonly string[], others: ReadonlySet<string>, lone: string): (symbol | string)[] {
  const symbol = Symbol(lone);
  return items.map((item) => (others.has(item) ? item : symbol));
}

/**
 * Edits for each item of the reference: 0 is equal, and a long output can exceed 1. An empty reference counts as one item, and any output
 * for it as one error: 1. An empty output for a reference with items is 1 as well.
 */
export function errorRate(reference: readonly string[], output: readonly string[]): number {
  if (reference.length === 0) return output.length === 0 ? 0 : 1;
  return editsBetween(reference, output) / reference.length;
}
