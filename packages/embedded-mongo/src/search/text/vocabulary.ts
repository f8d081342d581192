export interface Fuzzy {
  maxEdits: number;
  prefixLength: number;
  maxExpansions: number;
}

/** Stands between terms. A text has it in none of its words; only a keyword could. */
export const SEPARATOR = '\u0001';

/**
 * The terms of a field, packed into one text. Each has a signature: a bit for the characters it holds. An edit changes two bits
 * at most, so almost every term is passed over without a look at its letters.
 */
export class Vocabulary {
  readonly #text: string;
  /** Start and signature of each term. */
  readonly #table: Int32Array;

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
  closeTo(word: string, { maxEdits, prefixLength }: Fuzzy, into: Map<string, number>): void {
    const letters = Array.from(word);
    const prefix = letters.slice(0, prefixLength).join('');
    const own = signatureOf(word, 0, word.length);
    for (let at = 0; at + 2 < this.#table.length; at += 2) {
      let bits = (this.#table[at + 1] as number) ^ own;
      for (let left = maxEdits * 2; bits !== 0 && left > 0; left--) bits &= bits - 1;
      if (bits !== 0) continue;
      const start = this.#table[at] as number;
      const term = this.#text.slice(start, (this.#table[at + 2] as number) - 1);
      if (Math.abs(term.length - word.length) > maxEdits * 2 || !term.startsWith(prefix) || into.has(term)) continue;
      const other = Array.from(term);
      const [edits, shorter] = [editDistance(letters, other, maxEdits), Math.min(letters.length, other.length)];
      if (edits <= maxEdits && edits < shorter) into.set(term, 1 - edits / shorter);
    }
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
