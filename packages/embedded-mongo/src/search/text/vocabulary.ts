export interface Fuzzy {
  maxEdits: number;
  prefixLength: number;
  maxExpansions: number;
}

/** Stands between terms. A text has it in none of its words; only a keyword could. */
export const SEPARATOR = '\u0001';

type Near = readonly [term: string, closeness: number];

/** Bounds of what a vocabulary remembers, as part of a cache that does not count it. */
const REMEMBERED = { words: 8, terms: 64 };

/**
 * The terms of a field, packed into one text. Each has a signature: a bit for the characters it holds. An edit changes two bits
 * at most, so almost every term is passed over without a look at its letters.
 */
export class Vocabulary {
  readonly #text: string;
  /** Start and signature of each term. */
  readonly #table: Int32Array;
  /** Neighbours of the last words: a search asks for a word more than once. */
  readonly #recent = new Map<string, readonly Near[]>();

  constructor(text: string) {
    const table: number[] = [];
    for (let start = 0; start < text.length;) {
      const end = text.indexOf(SEPARATOR, start);
      const next = end < 0 ? text.length + 1 : end + 1;
      table.push(start, signatureOf(text, start, next - 1));
      start = next;
    }
    this.#text = text;
    this.#table = Int32Array.from([...table, text.length + 1]);
  }

  get bytes(): number {
    return this.#text.length * 2 + this.#table.byteLength;
  }

  /** Enters the terms within the allowed edits, and how close each is: 1 less the edits for each letter. */
  closeTo(word: string, fuzzy: Fuzzy, into: Map<string, number>): void {
    const key = `${fuzzy.maxEdits} ${fuzzy.prefixLength} ${word}`;
    let found = this.#recent.get(key);
    if (!found) {
      found = this.#find(word, fuzzy);
      if (found.length <= REMEMBERED.terms) this.#remember(key, found);
    }
    for (const [term, closeness] of found) if (!into.has(term)) into.set(term, closeness);
  }

  #remember(key: string, found: readonly Near[]): void {
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size < REMEMBERED.words) break;
      this.#recent.delete(oldest);
    }
    this.#recent.set(key, found);
  }

  #find(word: string, { maxEdits, prefixLength }: Fuzzy): Near[] {
    const found: Near[] = [];
    const letters = Array.from(word);
    const prefix = letters.slice(0, prefixLength).join('');
    const own = signatureOf(word, 0, word.length);
    for (let at = 0; at + 2 < this.#table.length; at += 2) {
      let bits = (this.#table[at + 1] as number) ^ own;
      for (let left = maxEdits * 2; bits !== 0 && left > 0; left--) bits &= bits - 1;
      if (bits !== 0) continue;
      const [start, end] = [this.#table[at] as number, (this.#table[at + 2] as number) - 1];
      if (Math.abs(end - start - word.length) > maxEdits * 2 || !this.#text.startsWith(prefix, start)) continue;
      const term = this.#text.slice(start, end);
      const other = Array.from(term);
      const [edits, shorter] = [editDistance(letters, other, maxEdits), Math.min(letters.length, other.length)];
      if (edits <= maxEdits && edits < shorter) found.push([term, 1 - edits / shorter]);
    }
    return found;
  }
}

/** A character beyond the basic plane counts by its second half alone. */
function signatureOf(text: string, start: number, end: number): number {
  let signature = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if ((code & 0xfc00) !== 0xd800) signature |= 1 << (code & 31);
  }
  return signature;
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
      let best = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] as number) + 1);
      next.push(best);
    }
    if (Math.min(...next) > bound) return bound + 1;
    before = row;
    row = next;
  }
  return row[b.length] as number;
}
