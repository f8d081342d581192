import { describe, expect, test } from 'vitest';
import { findTyped, valueOfLabel } from '#src/domain/segment-locally/values.ts';
import { line, row } from '#test/domain/segment-locally/page.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const values = (text: string, type: Parameters<typeof findTyped>[1]) => findTyped(text, type).map(({ value }) => value);

describe('Typed values', () => {
  test.each([
    ['Rechnung vom 3. März 2024', '2024-03-03'],
    ['due 05.04.2024.', '2024-04-05'],
    ['on 03/25/2024', '2024-03-25'],
    ['Date 05/03/2024', '2024-03-05'],
    ['2024-03-05', '2024-03-05'],
    ['March 5, 2023', '2023-03-05'],
    ['Wednesday, 5th of June 2024', '2024-06-05'],
    ['Montag, 12. Dezember 2022', '2022-12-12'],
    ['5.3.24', '2024-03-05'],
    ['12 Jan', '--01-12'],
  ])('the date in "%s" is %s', (text, date) => {
    expect(values(text, 'date')).toEqual([date]);
  });

  test.each(['2024-02-30', '45.13.2024', 'version 1.2.3.4', '192.168.10.24', '12.30 Uhr'])(
    '"%s" is no date',
    (text) => {
      expect(values(text, 'date')).toEqual([]);
    },
  );

  test.each([
    ['Summe 1.234,50 €', '1234.50 EUR'],
    ['$1,234.50', '1234.50 USD'],
    ["CHF 1'200.00", '1200.00 CHF'],
    ['USD 12', '12 USD'],
    ['17,- €', '17 EUR'],
    ['12.50', '12.50'],
    ['-3,20 EUR', '-3.20 EUR'],
  ])('the amount in "%s" is %s', (text, amount) => {
    expect(values(text, 'money')).toEqual([amount]);
  });

  test.each(['19.00 %', '12.30 Uhr', '05.04.2024', '1.50 kg', '4711'])('"%s" is no amount', (text) => {
    expect(values(text, 'money')).toEqual([]);
  });

  test('numbers are read by the separators of both languages', () => {
    expect(values('1.234 and 1,234.5 and 3,5 and 0.125', 'number')).toEqual(['1234', '1234.5', '3.5', '0.125']);
  });

  test('e-mail, telephone and web addresses are found, with their characters', () => {
    const text = 'Mail A.B@Foo.example, Tel +49 (0)30 123456, www.foo.example/x.';
    expect(findTyped(text, 'email')).toEqual([
      { start: 5, end: 20, text: 'A.B@Foo.example', value: 'a.b@foo.example' },
    ]);
    expect(findTyped(text, 'phone')).toMatchObject([{ text: '+49 (0)30 123456', value: '+4930123456' }]);
    expect(findTyped(text, 'url')).toMatchObject([{ value: 'www.foo.example/x' }]);
  });

  test('long rows of digits, dots and letters are read in no time', () => {
    for (const piece of ['1.', '1', '1 ', "1'", 'a.', 'a@', '0 ', '(', '-', 'www.'])
      for (const type of ['date', 'money', 'email', 'phone', 'url', 'number'] as const) {
        const computed = cpuClock();
        findTyped(piece.repeat(20_000), type);
        expect(computed(), `${type} of ${piece}`).toBeLessThan(1_000);
      }
  });
});

describe('The value of a label', () => {
  test('does not take the square of the lines of a page of labels alone', () => {
    const lines = Array.from({ length: 12_000 }, (_, at) => line('Buyer', at / 10));
    const computed = cpuClock();
    expect(valueOfLabel(lines, 'buyer')).toBeNull();
    expect(computed()).toBeLessThan(2_000);
  });

  test('is what stands after it in the line', () => {
    expect(valueOfLabel([line('Total: 12.50 EUR', 0.1)], 'total')).toMatchObject({ text: '12.50 EUR', line: 0 });
  });

  test('is found under a name of the other language, and through misread letters', () => {
    const lines = [line('Zwischensumme 10,00', 0.1), line('Gesarntbetrag 12,50', 0.2)];
    expect(valueOfLabel(lines, 'total')).toMatchObject({ text: '12,50', line: 1 });
    expect(valueOfLabel([line('lnvoice Nurnber: A-4711', 0.1)], 'Invoice number')).toMatchObject({ text: 'A-4711' });
  });

  test('is not that of a longer label', () => {
    const lines = [line('Sub total 10.00', 0.1), line('Total items: 3', 0.2), line('Total 12.50', 0.3)];
    expect(valueOfLabel(lines, 'total')).toMatchObject({ text: '12.50', line: 2 });
  });

  test('ends where the next column has a label of its own', () => {
    const lines = [row(0.1, [0.1, 'Name:'], [0.2, 'Anna'], [0.26, 'Berg'], [0.6, 'Date:'], [0.7, '5.3.2024'])];
    expect(valueOfLabel(lines, 'name')).toMatchObject({ text: 'Anna Berg' });
    expect(valueOfLabel(lines, 'date')).toMatchObject({ text: '5.3.2024' });
  });

  test('is to the right in a line of its own, else below', () => {
    const right = [row(0.1, [0.1, 'Total']), row(0.1, [0.7, '12.50'])];
    expect(valueOfLabel(right, 'total')).toMatchObject({ text: '12.50', line: 1 });
    const below = [row(0.1, [0.1, 'Date'], [0.5, 'Total']), row(0.13, [0.1, '5.3.2024'], [0.5, '12.50'])];
    expect(valueOfLabel(below, 'total')).toMatchObject({ text: '12.50', line: 1 });
  });

  test('is null where there is no such label, or nothing beside it', () => {
    expect(valueOfLabel([line('Hello world', 0.1)], 'total')).toBeNull();
    expect(valueOfLabel([line('Total:', 0.1)], 'total')).toBeNull();
    expect(valueOfLabel([], 'total')).toBeNull();
  });
});
