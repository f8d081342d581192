import { describe, expect, test } from 'vitest';
import { localFinder } from '#src/domain/extract-locally/extract-locally.ts';
import type { FieldRule } from '#src/domain/extract-locally/field.ts';
import { pageOf } from '#test/support/records.ts';

const finder = (...lines: readonly string[]) => {
  const text = lines.join('\n');
  return localFinder({ text, pages: [pageOf(text)] });
};
const money: FieldRule = { type: 'money', aliases: ['Total', 'Amount due'] };
const totalOf = (...lines: readonly string[]) => finder(...lines)('total', money);

describe('The total', () => {
  test.each([
    ['a space in the amount', ['Brot 2.10', 'Milch 3.90', 'TOTAL: 6. 00'], 6],
    ['a currency that stands close', ['Sub Total RM50.00', 'GST 6% RM3.00', 'Total RM53.00'], 53],
    ['a letter O for a zero', ['Tea 4.00', 'Cake 6.00', 'TOTAL 1O.00'], 10],
    ['a misread label', ['Tea 4.00', 'Cake 6.00', 'T0TAI 10.00'], 10],
    ['another word for it', ['Tea 4.00', 'Cake 6.00', 'Balance Due: 10.00'], 10],
    ['German', ['Zwischensumme 11,00', 'MwSt 19% 2,09', 'Gesamtbetrag: 13,09 €'], 13.09],
    ['French', ['Sous total 10,00', 'TVA 2,00', 'Total TTC 12,00'], 12],
    ['the tax below it', ['Total 53.00', 'Cash 60.00', 'Change 7.00', 'Total GST 3.00'], 53],
    ['a table of taxes below it', ['Total 29.68', 'GST summary', 'SR 28.00 1.68', 'Total 28.00 1.68'], 29.68],
    [
      'cash less change, which the till rounded',
      ['TOTAL (GST INCL) 38.37', 'CASH 40.35', 'ROUNDING 0.02-', 'CHANGE 2.00'],
      38.37,
    ],
    ['rounding by the till', ['Total incl. GST 23.26', 'Rounding -0.01', 'Total 23.25'], 23.25],
    [
      'a misread amount beside its label, where cash and tax agree on another one',
      ['Sub tot 7.00', 'GST 6% 0.42', 'Rounding adj 0.02', 'NET TOTAL 1.40', 'Cash 7.40', 'Change 0.00'],
      7.4,
    ],
    [
      'no label, where cash and tax agree on it',
      ['Pen 2 14.90 29.80', 'Total excl. GST 28.11', 'GST 6% 1.69', '29.80', 'Cash 50.00', 'Change 20.20'],
      29.8,
    ],
    [
      'a misread label that goes on with rounding',
      ['Rounding 0.00', 'ictal After Rounding 85.10', 'Cash 100.10'],
      85.1,
    ],
    ['an amount on the next line', ['Tea 4.00', 'Cake 6.00', 'GRAND TOTAL', '10.00'], 10],
    ['a count of items before it', ['Total items: 2.00', 'Total 10.00'], 10],
    ['savings below it', ['Total 20.00', 'Total savings 35.00'], 20],
    ['cash that exceeds it', ['Amount 17.85', 'Cash 50.00', 'Change 32.15'], 17.85],
    [
      'the point lost, where cash and change lead to it',
      ['Pen 58.30', 'Clip 21.20', 'Total payable 7950,', 'Paid 100.00', 'Change 2050'],
      79.5,
    ],
    [
      'a label of which only the tax could be read, where net and tax lead to it',
      [
        'Total sales (excluding GST) 94.34',
        'Total GST 5.66',
        'Total sales (4 ctusive of GST) 100.00',
        'Design 31.80 31.80',
      ],
      100,
    ],
    [
      'a misread digit beside its label, where cash less change stands elsewhere',
      ['Milk 1x 9.50 9.50', 'Total 8.50', 'Cash 10.50', 'Change 1.00'],
      9.5,
    ],
    ['no label, as the sum of the items', ['Rice RM 149.00', 'Fish RM 21.00', 'RM 170.00'], 170],
    [
      'the word for rounding beside it, below the amount before rounding',
      ['Total sales (inclusive GST) RM 14.38', 'Rounding adjustment RM A2', 'Rounding RM 14.40', 'Cash RM 20.00'],
      14.4,
    ],
    ['cash as a negative amount', ['30.10', 'Cash -40.10', 'Change 10.00', 'Net total 30.10'], 30.1],
    ['no decimals', ['Miete Oktober', 'Total: 850 EUR'], 850],
  ])('is found with %s', (_name, lines, amount) => {
    const { value, evidence, verified } = totalOf(...lines);
    expect(value).toMatchObject({ amount });
    expect(verified).toBe(true);
    const text = lines.join('\n');
    const { start, end, text: quoted, box } = evidence as { start: number; end: number; text: string; box: unknown };
    expect(quoted).toBe(text.slice(start, end));
    expect(box).toHaveLength(4);
  });

  test('is surer where cash and change, or net and tax, confirm it', () => {
    const confirmed = totalOf('Total 17.85', 'Cash 50.00', 'Change 32.15').confidence;
    const taxed = totalOf('Subtotal 15.00', 'Tax 2.85', 'Total 17.85').confidence;
    const doubtful = totalOf('Total 17.85', 'Total 15.87', 'Payment 16.00').confidence;
    expect(Math.min(confirmed, taxed)).toBeGreaterThan(0.85);
    expect(doubtful).toBeLessThan(0.65);
  });

  test('is no number of a card, and no amount without a point that no sum leads to', () => {
    expect(totalOf('Total 41.50', 'MASTER 5148 APP: 83650', 'Change 0.00').value).toMatchObject({ amount: 41.5 });
    expect(totalOf('Total 7950', 'Tea 4.00').value).not.toMatchObject({ amount: 79.5 });
  });

  test('is nothing where two amounts have no label, nor where a total is nought', () => {
    expect(totalOf('Brot 2.10', 'Milch 1.20').value).toBeNull();
    expect(totalOf('Discount total 0.00').value).toBeNull();
  });

  test('is not the field that has another name', () => {
    const find = finder('Subtotal 15.00', 'VAT 2.85', 'Total 17.85');
    expect(find('tax', { type: 'money', aliases: ['VAT'] }).value).toMatchObject({ amount: 2.85 });
    expect(find('subtotal', { type: 'money' }).value).toMatchObject({ amount: 15 });
  });

  test('is looked for in a long text without holding up the rest', () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `Total item ${at} ${'9 '.repeat(20)} 1.00 2.00 3.0`);
    const begun = performance.now();
    totalOf(...lines);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

describe('The firm', () => {
  const firm = (...lines: readonly string[]) => finder(...lines)('merchant', { type: 'string' }).value;
  test.each([
    [
      'with a legal form, below a logo',
      ['welcome', 'LANTERN', 'Lantern Foods Sdn Bhd (123456-X)'],
      'Lantern Foods Sdn Bhd',
    ],
    ['over two lines', ['COPPERFIELD BOOKS', 'TRADING LTD', '4 Jalan Bukit'], 'COPPERFIELD BOOKS TRADING LTD'],
    ['that goes on after a sign', ['HARROW HARDWARE &', 'ELECTRICAL', 'Tel 03-123'], 'HARROW HARDWARE & ELECTRICAL'],
    ['with a misread legal form', ['TIDEWATER FOODS SON BHD', 'LOT 5, JALAN 3'], 'TIDEWATER FOODS SDN BHD'],
    [
      'beside a number of it',
      ['TIDEWATER FOODS SDN BHD', 'LOT 5, JALAN 3', 'MERCHANT NUMBER 000001020138'],
      'TIDEWATER FOODS SDN BHD',
    ],
    ['below the kind of the document', ['TAX INVOICE', 'Peppercorn Grocers', '41 Tannery Road'], 'Peppercorn Grocers'],
    [
      'beside the kind of the document',
      ['Juniper Lane Joinery INVOICE', '27 Juniper Lane, Ostmark'],
      'Juniper Lane Joinery',
    ],
    ['with a legal form that has points', ['TIDEWATER SDN. BHD.', 'LOT 5, JALAN 3'], 'TIDEWATER SDN. BHD.'],
    ['with scraps after its legal form', ['TIDEWATER (M) SDN. BHD. ( iy', 'LOT 5, JALAN 3'], 'TIDEWATER (M) SDN. BHD.'],
    ['with another misread legal form', ['TIDEWATER FOODS EDN BHD', 'LOT 5, JALAN 3'], 'TIDEWATER FOODS SDN BHD'],
    [
      'with letters after its legal form',
      ['TIDEWATER FOODS SDN BHD * SE', 'LOT 5, JALAN 3'],
      'TIDEWATER FOODS SDN BHD',
    ],
    ['with a misread country', ['TIDEWATER (MH) SDN BHD', 'LOT 5, JALAN 3'], 'TIDEWATER (M) SDN BHD'],
    ['with a town that stays', ['TIDEWATER (PG) SDN BHD', 'LOT 5, JALAN 3'], 'TIDEWATER (PG) SDN BHD'],
    ['with a misread word', ['Tidewater Enterprlse', 'LOT 5, JALAN 3'], 'Tidewater Enterprise'],
    ['with the plural of a word', ['Tidewater Enterprises', 'LOT 5, JALAN 3'], 'Tidewater Enterprises'],
    ['with two digits for letters', ['L00N & SONS TRADING', 'LOT 5, JALAN 3'], 'LOON & SONS TRADING'],
    [
      'over lines with an open bracket',
      ['TIDEWATER', 'ENTERPRISE (NORTH', 'QUAY) SDN BHD', 'LOT 5, JALAN 3'],
      'TIDEWATER ENTERPRISE (NORTH QUAY) SDN BHD',
    ],
    ['whose last word was not read', ['TIDEWATER FOODS SDN i...', 'LOT 5, JALAN 3'], 'TIDEWATER FOODS SDN BHD'],
    ['with a short form that was misread', ['99 FOX MART 5/8 (519537-X)', 'TAMAN BERKELEY'], '99 FOX MART S/B'],
    ['with a number whose digits were read as letters', ['OWL CO. (M) BHD (12B928-R)', 'LOT 5'], 'OWL CO. (M) BHD'],
    ['whose legal form has one letter misread', ['TIDEWATER BREAD SDN BID', 'BREAD HOUSE'], 'TIDEWATER BREAD SDN BHD'],
    ['before a scrap, with a misread legal form', ['TIDEWATER FOODS SDN BHO 5', 'LOT 5'], 'TIDEWATER FOODS SDN BHD'],
    [
      'above the owner of the shop',
      ['TIDEWATER STATIONERY', 'LOT 5, JALAN 3', 'Owned By :', 'HARBOUR SUPPLY SDN BHD (1135772-K)'],
      'TIDEWATER STATIONERY',
    ],
    [
      'above the owner of the shop in one line',
      ['TIDEWATER STATIONERY', 'LOT 5, JALAN 3', 'OPERATED BY HARBOUR SUPPLY SDN BHD'],
      'TIDEWATER STATIONERY',
    ],
    [
      'above the firm that the invoice is for',
      ['TIDEWATER BREAD SDN BHD (139386 X)', 'LOT 5, JALAN 3', 'TAX INVOICE', 'HARBOUR FRESH MARKET SDN BHD'],
      'TIDEWATER BREAD SDN BHD',
    ],
    ['with a digit for its first letter', ['URBAN 1DEA SDN BHD', 'LOT 5, JALAN 3'], 'URBAN IDEA SDN BHD'],
    ['behind a word for its owner', ['Dimiliki: owl cafe sdn bhd', 'No. 1 Jalan 7'], 'owl cafe sdn bhd'],
    ['above the kind of its shop', ['THREE FRIENDS', 'BISTRO & CAFE', 'NO 109, 5521'], 'THREE FRIENDS'],
    ['below scraps of a logo', ['de R', 'KEDAI PAPAN YEW', 'LOT 276 JALAN 7'], 'KEDAI PAPAN YEW'],
    ['with a number of its registration', ['Brightwater GmbH 8801234', 'Allee 5'], 'Brightwater GmbH'],
  ])('%s is found', (_name, lines, name) => {
    expect(firm(...lines)).toBe(name);
  });

  test('is looked for in a line of marks without holding up the rest', () => {
    const begun = performance.now();
    firm(`CAFE ${'& ('.repeat(20_000)}x`, `OWL BHD ${'( '.repeat(20_000)}abc`);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test('is nothing in a text without letters', () => {
    expect(firm('12.50', '2024-05-17')).toBeNull();
  });
});

describe('The day', () => {
  const day = (...lines: readonly string[]) => finder(...lines)('date', { type: 'date', aliases: ['Date'] }).value;
  test.each([
    ['28 MAR 18 18:32:36', '2018-03-28'],
    ['14/MAY/2017 02:56', '2017-05-14'],
    ['05-JAN-2017', '2017-01-05'],
    ['Date: 5/3/2018', '2018-03-05'],
    ['26 03-18 15:25 SHO1', '2018-03-26'],
    ['Date : 26: -03- 2018 15: 14: 07', '2018-03-26'],
    ['Date: 26/03/2618', '2018-03-26'],
    ['26/63/2018 15:25', '2018-03-26'],
    ['Date: 86/O3/20l8', '2018-03-06'],
  ])('%s is %s', (line, expected) => {
    expect(day('Lantern Foods', line)).toBe(expected);
  });

  test('is the one with the time, not that of an expiry', () => {
    expect(day('05/03/18 15:02', 'Card expiry: 31/05/18')).toBe('2018-03-05');
  });

  test('is not the date of birth, whose label is longer', () => {
    expect(day('Date of birth 23 August 1986', 'Date 02 July 2024')).toBe('2024-07-02');
  });
});

test('a label that is part of another one is worth less: the tax number is no invoice number', () => {
  const find = finder('Bill to: Invoice number INV-2024-17', 'Tax number: 133/8150/8159');
  expect(find('number', { type: 'string', aliases: ['Invoice number'] }).value).toBe('INV-2024-17');
});
