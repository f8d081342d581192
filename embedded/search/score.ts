import type { Fuzzy } from './request.ts';
import type { TextField } from './text-field.ts';

/** Lucene's BM25 constants. */
const K1 = 1.2;
const B = 0.75;

type Scores = Map<number, number>;
type TextOptions = { fuzzy: Fuzzy | undefined; boost: number };

/** Every term of the text counts by itself; with `fuzzy`, terms close to it count too, the less the further. */
export function scoreText(field: TextField, query: string, options: TextOptions, into: Scores): void {
  const { fuzzy, boost } = options;
  const size = field.size();
  const terms = new Set(field.analyze(query));
  for (const term of terms) {
    for (const [variant, closeness] of fuzzy ? expand(field, term, fuzzy) : [[term, 1] as const]) {
      const postings = field.postings(variant);
      const weight = rarity(size.rows, postings.length) * closeness * boost;
      for (const { row, frequency, length } of postings) {
        into.set(row, (into.get(row) ?? 0) + weight * saturation(frequency, length, size.average));
      }
    }
  }
}

/** The phrase as one unit: its rarity is the sum of its terms', its frequency how often they stand side by side. */
export function scorePhrase(field: TextField, query: string, into: Scores, boost: number): void {
  const terms = field.analyze(query);
  const places = terms.map((term) => field.positions(term));
  const [first, ...others] = places;
  if (!first) return;
  const size = field.size();
  const weight = boost * places.reduce((sum, rows) => sum + rarity(size.rows, rows.size), 0);
  for (const [row, starts] of first) {
    const following = others.map((rows) => new Set(rows.get(row)));
    const frequency = starts.filter((start) => following.every((offsets, at) => offsets.has(start + at + 1))).length;
    if (frequency > 0)
      into.set(row, (into.get(row) ?? 0) + weight * saturation(frequency, field.length(row), size.average));
  }
}

function rarity(rows: number, holding: number): number {
  return Math.log(1 + (rows - holding + 0.5) / (holding + 0.5));
}

function saturation(frequency: number, length: number, average: number): number {
  return frequency / (frequency + K1 * (1 - B + (B * length) / average));
}

function expand(
  field: TextField,
  term: string,
  { maxEdits, prefixLength, maxExpansions }: Fuzzy,
): (readonly [string, number])[] {
  const letters = Array.from(term);
  const prefix = letters.slice(0, prefixLength).join('');
  const close: (readonly [string, number])[] = [];
  for (const candidate of field.terms()) {
    if (!candidate.startsWith(prefix) || Math.abs(candidate.length - term.length) > maxEdits * 2) continue;
    const other = Array.from(candidate);
    const edits = editDistance(letters, other, maxEdits);
    const shorter = Math.min(letters.length, other.length);
    if (edits <= maxEdits && edits < shorter) close.push([candidate, 1 - edits / shorter]);
  }
  return close.toSorted((a, b) => b[1] - a[1]).slice(0, maxExpansions);
}

/** Insertions, deletions, substitutions and swaps of neighbours; gives up (`bound` + 1) as soon as the bound is passed. */
function editDistance(a: readonly string[], b: readonly string[], bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next.push(best);
    }
    if (Math.min(...next) > bound) return bound + 1;
    before = row;
    row = next;
  }
  return row[b.length] ?? bound + 1;
}
