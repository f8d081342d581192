import type { Lists } from './clause.ts';
import type { Postings } from './postings.ts';

/** The rows that hold the words of a phrase at their places, and how often. */
export function phrase(lists: Lists, places: readonly number[]): Postings | undefined {
  const held = lists.flatMap((list) => (list ? { ...list, at: 0, from: 0 } : []));
  const [rows, counts]: [number[], number[]] = [[], []];
  for (const row of held.length === lists.length ? (held[0]?.rows ?? []) : []) {
    const [first = [], ...others] = held.map((one) => {
      for (; (one.rows[one.at] as number) < row; one.at++) one.from += one.counts[one.at] as number;
      const count = one.rows[one.at] === row ? (one.counts[one.at] as number) : 0;
      return one.places?.subarray(one.from, one.from + count) ?? [];
    });
    if (others.some(({ length }) => length === 0)) continue;
    const sets = others.map((list) => new Set(list));
    const start = places[0] as number;
    let count = 0;
    for (const place of first) if (sets.every((set, n) => set.has(place + (places[n + 1] as number) - start))) count++;
    if (count === 0) continue;
    rows.push(row);
    counts.push(count);
  }
  return rows.length > 0 ? { rows: Uint16Array.from(rows), counts } : undefined;
}
