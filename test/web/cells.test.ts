import { expect, test } from 'vitest';
import { sortCells } from '#web/pages/document/records/sort-cells.ts';
import { parseValue, shapeOf, valueText, type Cell, type RecordRow } from '#web/pages/records/cell-value.ts';

const form = (fields: Record<string, string>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

test('a corrected cell has the type of its field; empty says that the document has none', () => {
  expect(parseValue({ type: 'money' }, form({ value: '12,50', currency: 'eur' }))).toEqual({
    value: { amount: 12.5, currency: 'EUR' },
  });
  expect(parseValue({ type: 'money' }, form({ value: '12', currency: '' }))).toEqual({
    value: { amount: 12, currency: null },
  });
  expect(parseValue({ type: 'integer' }, form({ value: ' 3 ' }))).toEqual({ value: 3 });
  expect(parseValue({ type: 'boolean' }, form({ value: 'false' }))).toEqual({ value: false });
  expect(parseValue({ type: 'date' }, form({ value: '2026-05-01' }))).toEqual({ value: '2026-05-01' });
  expect(parseValue({ type: 'string' }, form({ value: '' }))).toEqual({ value: null });
  expect(parseValue({ type: 'number' }, form({ value: 'twelve' }))).toHaveProperty('error');
  expect(valueText({ amount: 9.5, currency: 'EUR' })).toBe('9.50 EUR');
});

test('cells of lists are rows of tables, in their order; a field that the type lost takes what its value says', () => {
  const cell = {} as Cell;
  const cells = Object.fromEntries(
    ['total', 'items.10.amount', 'items.2.name', 'items.2.amount', 'seller.name'].map((path) => [path, cell]),
  );
  expect(sortCells({ cells } as unknown as RecordRow)).toEqual({
    single: ['total', 'seller.name'],
    tables: [{ name: 'items', columns: ['amount', 'name'], rows: ['items.2', 'items.10'] }],
  });
  expect(shapeOf(undefined, 'total', { amount: 1, currency: null })).toEqual({ type: 'money' });
  expect(shapeOf(undefined, 'note', null)).toEqual({ type: 'string' });
});
