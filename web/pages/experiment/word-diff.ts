export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Words of each side that are compared one by one: longer texts keep their ends, and mark the middle. */
const mostWords = 1_500;

const wordsOf = (text: string): string[] => text.match(/\s+|[^\s]+/g) ?? [];

/** Lengths of longest common subsequences of all tails, row by row. */
function lengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let row = a.length - 1; row >= 0; row -= 1)
    for (let column = b.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        a[row] === b[column]
          ? (table[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(table[(row + 1) * width + column] ?? 0, table[row * width + column + 1] ?? 0);
  return table;
}

/** Words that both sides have in the same order, as flags for each side. */
function common(a: readonly string[], b: readonly string[]): readonly [boolean[], boolean[]] {
  const kept: [boolean[], boolean[]] = [a.map(() => false), b.map(() => false)];
  if (a.length > mostWords || b.length > mostWords) return kept;
  const width = b.length + 1;
  const table = lengths(a, b);
  for (let row = 0, column = 0; row < a.length && column < b.length;) {
    if (a[row] === b[column]) {
      kept[0][row] = true;
      kept[1][column] = true;
      row += 1;
      column += 1;
    } else if ((table[(row + 1) * width + column] ?? 0) >= (table[row * width + column + 1] ?? 0)) row += 1;
    else column += 1;
  }
  return kept;
}

function pieces(words: readonly string[], isKept: readonly boolean[]): Piece[] {
  const found: Piece[] = [];
  for (const [at, word] of words.entries()) {
    const isChanged = isKept[at] !== true;
    const last = found.at(-1);
    if (last?.isChanged === isChanged) found[found.length - 1] = { text: last.text + word, isChanged };
    else found.push({ text: word, isChanged });
  }
  return found;
}

/** Both texts in pieces, those marked that the other one does not have at this place. */
export function wordDiff(left: string, right: string): readonly [readonly Piece[], readonly Piece[]] {
  const [a, b] = [wordsOf(left), wordsOf(right)];
  let head = 0;
  while (head < a.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [keptA, keptB] = common(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const around = (kept: readonly boolean[]): boolean[] => [
    ...Array.from({ length: head }, () => true),
    ...kept,
    ...Array.from({ length: tail }, () => true),
  ];
  return [pieces(a, around(keptA)), pieces(b, around(keptB))];
}
