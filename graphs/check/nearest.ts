import { distance } from 'fastest-levenshtein';

/** `Did you mean "x" or "y"?` for similar names, otherwise the list of known names. Ends with a full stop or a question mark. */
export function suggest(name: string, known: readonly string[], what: string): string {
  const near = nearest(name, known);
  if (near.length > 0) return `Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`;
  if (known.length === 0) return `There are no ${what}.`;
  const shown = known.slice(0, 20).join(', ');
  return `The ${what} are: ${shown}${known.length > 20 ? `, and ${known.length - 20} more` : ''}.`;
}

/** True if two neighbouring characters changed places, which is one slip of the hand. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** At most two known names that resemble `name`, the nearest first. */
export function nearest(name: string, known: readonly string[]): string[] {
  const wanted = name.slice(0, 64).toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return (
    known
      .slice(0, 1_000)
      // The lengths alone rule most names out: a graph may have thousands of wrong names.
      .filter((one) => Math.abs(one.length - wanted.length) <= limit)
      .map((one) => ({ one, edits: isSwapped(wanted, one.toLowerCase()) ? 1 : distance(wanted, one.toLowerCase()) }))
      .filter(({ edits }) => edits <= limit)
      .toSorted((a, b) => a.edits - b.edits)
      .slice(0, 2)
      .map(({ one }) => one)
  );
}

const letters = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/**
 * The known name that `name` is almost: the same but for case, hyphens and underscores, or with one letter wrong from 5 letters on, two from
 * 9 on. null: none. Stricter than `nearest`, to refuse a name rather than to suggest one.
 */
export function misspelt(name: string, known: readonly string[]): string | null {
  const wanted = letters(name.slice(0, 64));
  const edits = wanted.length < 5 ? 0 : wanted.length < 9 ? 1 : 2;
  const found = nearest(name, known).find((one) => distance(wanted, letters(one)) <= edits);
  return found ?? known.find((one) => letters(one) === wanted) ?? null;
}
