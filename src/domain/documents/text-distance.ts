/**
 * Edits (insertions, deletions, substitutions of graphemes) that turn `recognized` into `truth`, divided by the length of
 * `truth`. Both are NFKC-normalized, white space is folded to single spaces. 0 is perfect; more than 1 is possible. Against an
 * empty truth: 0 when both are empty, else 1.
 */
export function characterErrorRate(truth: string, recognized: string): number {
  return errorRate(graphemes(fold(truth)), graphemes(fold(recognized)));
}

/** As `characterErrorRate`, counted in words: runs of anything but white space, compared exactly. */
export function wordErrorRate(truth: string, recognized: string): number {
  return errorRate(words(fold(truth)), words(fold(recognized)));
}

/** Levenshtein distance between sequences; two rows of memory, time by the product of the lengths left after equal ends are cut. */
export function editDistance<Item>(from: readonly Item[], to: readonly Item[]): number {
  const [left, right] = cutEqualEnds(...numbered(from, to));
  if (left.length === 0 || right.length === 0) return left.length + right.length;
  let previous = Uint32Array.from({ length: right.length + 1 }, (_, index) => index);
  let current = new Uint32Array(right.length + 1);
  for (const item of left) {
    fillRow(previous, current, item, right);
    [previous, current] = [current, previous];
  }
  return previous[right.length] ?? 0;
}

function fillRow(previous: Uint32Array, current: Uint32Array, item: number, right: Uint32Array): void {
  let diagonal = previous[0] ?? 0;
  let beside = diagonal + 1;
  current[0] = beside;
  for (let column = 1; column < previous.length; column += 1) {
    const above = previous[column] ?? 0;
    const replaced = right[column - 1] === item ? diagonal : diagonal + 1;
    const inserted = (above < beside ? above : beside) + 1;
    beside = replaced < inserted ? replaced : inserted;
    current[column] = beside;
    diagonal = above;
  }
}

/** Equal items get equal numbers, so that the inner loop compares integers. */
function numbered<Item>(...sequences: readonly [readonly Item[], readonly Item[]]): [Uint32Array, Uint32Array] {
  const numbers = new Map<Item, number>();
  const number = (item: Item): number => {
    const known = numbers.get(item);
    if (known !== undefined) return known;
    numbers.set(item, numbers.size);
    return numbers.size - 1;
  };
  return [Uint32Array.from(sequences[0], number), Uint32Array.from(sequences[1], number)];
}

function cutEqualEnds(left: Uint32Array, right: Uint32Array): [Uint32Array, Uint32Array] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return [left.subarray(start, left.length - end), right.subarray(start, right.length - end)];
}

function errorRate(truth: readonly string[], recognized: readonly string[]): number {
  if (truth.length === 0) return recognized.length === 0 ? 0 : 1;
  return editDistance(truth, recognized) / truth.length;
}

function fold(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/** In printable ASCII every character is a grapheme, which spares the slow segmenter. */
function graphemes(text: string): string[] {
  if (/^[ -~]*$/u.test(text)) return text.split('');
  return Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
