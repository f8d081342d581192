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
