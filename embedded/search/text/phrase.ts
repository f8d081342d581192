import type { Postings } from './postings.ts';

/** A word of a phrase and its place in it. */
export interface Word {
  term: string;
  place: number;
}

/** The rows that hold the phrase, and how often: a count that is a fraction where words stand apart. */
export function phrasePostings(
  lists: readonly (Postings | undefined)[],
  words: readonly Word[],
  slop: number,
): Postings | undefined {
  const held = lists.flatMap((list) => (list ? { list, at: 0, from: 0 } : []));
  const rows: number[] = [];
  const counts: number[] = [];
  for (const row of held.length === lists.length ? (held[0]?.list.rows ?? []) : []) {
    const places = held.map((one) => {
      const { list } = one;
      for (; (list.rows[one.at] as number) < row; one.at++) one.from += list.counts[one.at] as number;
      return list.rows[one.at] === row
        ? list.places?.subarray(one.from, one.from + (list.counts[one.at] as number))
        : undefined;
    });
    const all = places.filter((one) => one !== undefined);
    if (all.length < places.length) continue;
    const count = slop === 0 || words.length === 1 ? exactFrequency(all, words) : sloppyFrequency(all, words, slop);
    if (count === 0) continue;
    rows.push(row);
    counts.push(count);
  }
  return rows.length > 0 ? { rows: Uint16Array.from(rows), counts } : undefined;
}

function exactFrequency(
  [first = new Uint32Array(), ...others]: readonly Uint32Array[],
  [start, ...rest]: readonly Word[],
): number {
  const sets = others.map((list) => new Set(list));
  return first.reduce((count, place) => {
    const holds = sets.every((set, at) => set.has(place + (rest[at] as Word).place - (start as Word).place));
    return holds ? count + 1 : count;
  }, 0);
}

/** A word on its way through its places; equal positions are the phrase as it stands. */
interface Walker {
  term: string;
  places: Uint32Array;
  offset: number;
  next: number;
  position: number;
}

/**
 * As Lucene counts: each nearest arrangement of the words adds 1 / (1 + how far they have to be moved), if that is within the
 * slop. A place of a word that the phrase repeats stands for one of its occurrences only.
 */
function sloppyFrequency(places: readonly Uint32Array[], words: readonly Word[], slop: number): number {
  const walkers = words.map(({ term, place }, at): Walker => ({
    term,
    places: places[at] as Uint32Array,
    offset: place,
    next: 0,
    position: 0,
  }));
  let end = -Infinity;
  const advance = (walker: Walker): boolean => {
    if (walker.next >= walker.places.length) return false;
    walker.position = (walker.places[walker.next++] as number) - walker.offset;
    end = Math.max(end, walker.position);
    return true;
  };
  const isBefore = (a: Walker, b: Walker): boolean =>
    a.position < b.position || (a.position === b.position && a.offset < b.offset);
  const least = (besides?: Walker): Walker =>
    walkers.filter((one) => one !== besides).reduce((best, one) => (isBefore(one, best) ? one : best));
  const isTwin = (a: Walker, b: Walker): boolean =>
    a !== b && a.term === b.term && a.position + a.offset === b.position + b.offset;
  const part = (moved: Walker): boolean => {
    for (let walker = moved; ;) {
      const twin = walkers.find((one) => isTwin(one, walker));
      if (!twin) return true;
      if (isBefore(twin, walker)) walker = twin;
      if (!advance(walker)) return false;
    }
  };
  // The second of equal words starts at the second place, and so on.
  for (const [at, walker] of walkers.entries()) {
    walker.next = walkers.filter((one, other) => other < at && one.term === walker.term).length;
    if (!advance(walker)) return 0;
  }
  let count = 0;
  let walker = least();
  let limit = least(walker).position;
  let distance = end - walker.position;
  while (advance(walker) && part(walker)) {
    if (walker.position <= limit) distance = Math.min(distance, end - walker.position);
    else {
      if (distance <= slop) count += 1 / (1 + distance);
      walker = least();
      limit = least(walker).position;
      distance = end - walker.position;
    }
  }
  return distance <= slop ? count + 1 / (1 + distance) : count;
}
