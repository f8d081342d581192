import { expect, test } from 'vitest';
import { type WaitingRow, WaitingRows } from '../../src/search/text/waiting.ts';

const field = 0;

/** Fields of a row with these words, each at its place. */
function fieldsOf(words: readonly string[]): WaitingRow['fields'] {
  const terms = new Map([['', 0]]);
  const numbers = [words.length];
  for (const term of new Set(words)) {
    const places = words.flatMap((word, at) => (word === term ? [at] : []));
    terms.set(term, numbers.length);
    numbers.push(places.length, ...places);
  }
  return new Map([[field, { terms, numbers }]]);
}

interface State {
  readonly version: number;
  readonly words: readonly string[];
}

/** Opens rows in these states, by row. */
function open(waiting: WaitingRows, rows: Readonly<Record<number, State>>) {
  const held = Object.entries(rows).map(([row, { version }]): [number, number] => [Number(row), version]);
  return waiting.open(held, (row) => fieldsOf(rows[row]?.words ?? []));
}

const found = (segment: ReturnType<typeof open>, term: string) => {
  const list = segment?.postings(field, term, true);
  if (segment === undefined || list === undefined) return [];
  const rows = [...list.rows].map((number) => segment.rowAt(number));
  return [rows, [...(list.counts as number[])], [...(list.places ?? [])]];
};

test('a segment finds the rows that waited when it was opened, also after they have changed', () => {
  const waiting = new WaitingRows();
  const first = open(waiting, { 7: { version: 1, words: ['ink', 'red', 'ink'] }, 9: { version: 2, words: ['ink'] } });
  const later = open(waiting, { 3: { version: 4, words: ['ink'] }, 7: { version: 3, words: ['red'] } });
  expect(found(first, 'ink')).toEqual([
    [7, 9],
    [2, 1],
    [0, 2, 0],
  ]);
  expect(found(later, 'ink')).toEqual([[3], [1], [0]]);
  expect(found(later, 'red')).toEqual([[7], [1], [0]]);
  expect(found(open(waiting, {}), 'ink')).toEqual([]);
  expect(found(first, 'red')).toEqual([[7], [1], [1]]);
});

test('a row that changes again and again is found in its last state, and the outdated ones are forgotten', () => {
  const waiting = new WaitingRows();
  const versions = Array.from({ length: 500 }, (_, version) => version);
  const states = versions.map((version) => open(waiting, { 5: { version, words: ['ink', `word${version}`] } }));
  for (const version of [0, 63, 64, 250, 499]) {
    expect(found(states[version], 'ink')).toEqual([[5], [1], [0]]);
    expect(found(states[version], `word${version}`)).toEqual([[5], [1], [1]]);
    expect(found(states[version], `word${version + 1}`)).toEqual([]);
  }
  expect(waiting.kept).toBeLessThan(100);
});
