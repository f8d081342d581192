/** One fact as written. `at` is its character offset, for order and to count each passage once. */
export interface KeyField {
  readonly name: string;
  readonly value: string;
  readonly at: number;
}

/** All matches of a global pattern as fields; the value is the first group, or the whole match. */
export function fieldsBy(text: string, pattern: RegExp, name: string): KeyField[] {
  return [...text.matchAll(pattern)].map((match) => ({
    name,
    value: trimValue(match[1] ?? match[0]),
    at: match.index,
  }));
}

/** Removes duplicate values and keeps at most `most`. */
export function distinct(fields: readonly KeyField[], most: number): KeyField[] {
  const seen = new Set<string>();
  return fields
    .filter(({ value }) => value !== '' && !seen.has(value.toLowerCase()) && seen.add(value.toLowerCase()))
    .slice(0, most);
}

function trimValue(value: string): string {
  return value.replace(/\s+/g, ' ').replace(/^[\s:#]+|[\s.,;:/-]+$/g, '');
}
