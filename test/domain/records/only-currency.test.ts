import { expect, test } from 'vitest';
import { withOnlyCurrency } from '#src/domain/records/only-currency.ts';
import { correctedText } from '#src/domain/records/corrected-text.ts';
import { absent, type FieldValue, type FoundField, type FoundFields } from '#src/domain/extract-locally/field.ts';

const found = (value: FieldValue): FoundField => ({ value, evidence: null, confidence: 0.9, verified: true });
const fields = {
  total: found({ amount: 6, currency: null }),
  merchant: found('Wan Sheng'),
  items: found([{ amount: found({ amount: 4, currency: null }) }]),
};
const currencies = (text: string, more = {}) => {
  const { total, items } = withOnlyCurrency({ ...fields, ...more }, text) as any;
  return [total.value.currency, items.value[0].amount.value.currency];
};

test('the only currency of a document is that of amounts without one, also in lists', () => {
  expect(currencies('Total 6.00\nCash RM 10.00\nChange RM 4.00')).toEqual(['MYR', 'MYR']);
  expect(currencies('Total 6.00', { net: found({ amount: 5, currency: 'EUR' }) })).toEqual(['EUR', 'EUR']);
});

test('an empty field for the currency has it, with the amount that names it as evidence', () => {
  const at = (start: number) => ({ text: 'EUR 6.00', start, end: start + 8, page: 0, box: null });
  const money = (currency: string | null, start: number) => ({
    ...found({ amount: 6, currency }),
    evidence: at(start),
  });
  const field = (more: FoundFields, text = 'EUR 6.00') =>
    withOnlyCurrency({ currency: absent, ...more }, text)['currency'];
  expect(field({ tax: money(null, 40), total: money('EUR', 10) })).toMatchObject({
    value: 'EUR',
    evidence: { start: 10 },
    verified: true,
  });
  expect(field({ total: money(null, 10) })).toMatchObject({ value: 'EUR', evidence: { start: 10 }, verified: false });
  expect(field({ total: found({ amount: 6, currency: 'EUR' }) })).toEqual(absent);
  expect(field({ total: money('EUR', 10), currency: found('Euro') })).toMatchObject({ value: 'Euro' });
  expect(field({ total: money('EUR', 10) }, 'or USD 7.00')).toEqual(absent);
});

test('two currencies, or none, are no ground for a guess', () => {
  expect(currencies('Total 6.00\nCash RM 10.00\nor EUR 2.50')).toEqual([null, null]);
  expect(currencies('Cash RM 10.00', { net: found({ amount: 5, currency: 'EUR' }) })).toEqual([null, null]);
  expect(currencies('Total 6.00')).toEqual([null, null]);
});

test('the searched text of records has what people and agents gave, each once', () => {
  const cell = {
    raw: null,
    confidence: 1,
    verified: true,
    page: null,
    box: null,
    at: new Date(),
    runId: null,
    path: 'a',
  };
  const cells = [
    { ...cell, value: 'Found', by: 'rules' },
    { ...cell, value: 'Given', by: 'person' },
    { ...cell, value: 'Given', by: 'agent' },
    { ...cell, value: { amount: 9.5, currency: 'EUR' }, by: 'agent' },
    { ...cell, value: null, by: 'person' },
  ] as const;
  expect(correctedText([{ cells }])).toBe('Given\n9.50 EUR');
});
