import { describe, expect, test } from 'vitest';
import { localFinder } from '#src/domain/extract-locally/extract-locally.ts';
import { rulesOf } from '#src/domain/records/from-fields.ts';
import { presets } from '#src/domain/records/presets.ts';
import { pageOf } from '#test/support/records.ts';

const rules = rulesOf(presets.find(({ name }) => name === 'invoice')?.fields ?? {});

/** A field of the type `invoice`: money as its amount. */
function fieldOf(name: string, lines: readonly string[]): unknown {
  const text = lines.join('\n');
  const rule = rules[name];
  if (rule === undefined) throw new Error(`invoices have no field ${name}`);
  const { value, evidence } = localFinder({ text, pages: [pageOf(text)] })(name, rule);
  // Values stand in the text itself.
  if (typeof value === 'string' && name !== 'date' && evidence !== null && !Array.isArray(evidence))
    expect((evidence as { text: string }).text.replaceAll('\n', ' ')).toBe(value);
  return typeof value === 'object' && value !== null && 'amount' in value ? value.amount : value;
}

describe('The number of an invoice', () => {
  test.each([
    ['ends before the date', ['Rechnung # RE-2024/507 vom 19.05.2024'], 'RE-2024/507'],
    ['ends before English words', ['Invoice # RE-2024/507 issued at 2024-06-10'], 'RE-2024/507'],
    ['stands in a heading', ['Handelsrechnung Nr. 471102 vom 05.06.2024'], '471102'],
    ['stands in a French heading', ['Avoir AV-2024-0005', 'Date de facture 16/11/2024'], 'AV-2024-0005'],
    ['stands below a heading', ['Handelsrechnung (380) 05.06.2024', 'Nr. 471102 vom'], '471102'],
    [
      'stands in the heading of an insurer',
      ['Rechnung des Versicherers Nr. 01.234.567.8-1 vom 06.12.2024'],
      '01.234.567.8-1',
    ],
    ['has spaces', ['Invoice number: GB 123 4567'], 'GB 123 4567'],
    [
      'is not that of the seller',
      ['Handelsrechnung Nr. 471102', 'Verkäufer', 'Nummer: 549910', 'Name: Lieferant GmbH'],
      '471102',
    ],
    ['is not that of the order', ['Rechnung gemäß Bestellung Nr. 2024-471331 vom 01.03.2024.'], null],
    ['is no amount', ['Rechnung ohne USt. 286,52'], null],
    ['is no year', ['Betriebskostenabrechnung 2010'], null],
  ])('%s', (_, lines, number) => {
    expect(fieldOf('number', lines)).toBe(number);
  });
});

describe('The date of an invoice', () => {
  test.each([
    [
      'stands in the heading',
      ['Version 2.1 vom 24.03.2020', 'Rechnung Nr. 17 vom 05.06.2024', 'Bestellt am 01.06.2024'],
      '2024-06-05',
    ],
    ['stands beside the heading', ['Handelsrechnung (380) 05.06.2024', 'Nr. 471102 vom'], '2024-06-05'],
    ['stands below the heading', ['Stand 24.03.2020', 'Rechnung Nr. 17 vom', '05.06.2024'], '2024-06-05'],
    ['stands beside a French label', ['Date de facture 13/11/2024', "Date d'échéance 13/12/2024"], '2024-11-13'],
    [
      'is not that of the order',
      ['Rechnung gemäß Bestellung vom 01.03.2024.', 'Rechnungsdatum 05.03.2024'],
      '2024-03-05',
    ],
  ])('%s', (_, lines, date) => {
    expect(fieldOf('date', lines)).toBe(date);
  });
});

describe('Sums of an invoice', () => {
  test.each([
    [
      'German ones',
      [
        'Positionssumme 202,70',
        'Rechnungssumme ohne USt. 193,77',
        'Steuerbetrag in EUR 21,30',
        'Bruttosumme 215,07',
        'Anzahlungen -50,00',
        'Zahlbetrag 165,07',
      ],
      [193.77, 21.3, 215.07],
    ],
    [
      'English ones with two rates',
      [
        'Net total: 496.00 €',
        '7% 160.00 € 11.20 €',
        '19% 336.00 € 63.84 €',
        'VAT total: 75.04 €',
        'Due payable: 571.04 €',
      ],
      [496, 75.04, 571.04],
    ],
    [
      'French ones',
      ['TVA 20,0% 20,48 € 4,10 €', 'Total HT 218,48 €', 'Total taxes 14,99 €', 'Total TTC 233,47 €'],
      [218.48, 14.99, 233.47],
    ],
    [
      'those of a credit note',
      ['Rechnungssumme ohne USt. -7,67', 'Steuerbetrag -1,12', 'Bruttosumme -8,79'],
      [-7.67, -1.12, -8.79],
    ],
    [
      'those without tax',
      ['Rechnungssumme ohne USt. 380,00', 'Steuerbetrag 0,00', 'Bruttosumme 380,00'],
      [380, 0, 380],
    ],
  ])('%s add up', (_, lines, sums) => {
    expect(['net', 'tax', 'total'].map((name) => fieldOf(name, lines))).toEqual(sums);
  });

  test('a total that another sum of net and tax speaks against is not sure', () => {
    const find = (...lines: readonly string[]) => {
      const text = lines.join('\n');
      return localFinder({ text, pages: [pageOf(text)] })('total', { type: 'money' });
    };
    const alone = find('Tea 4.00', 'Cake 6.00', 'GRAND TOTAL 10.00');
    expect(alone).toMatchObject({ value: { amount: 10 } });
    const disputed = find('Tea 4.00', 'Cake 6.00', 'VAT 1.00', '5.00', 'GRAND TOTAL 10.00');
    expect(disputed).toMatchObject({ value: { amount: 10 } });
    expect(disputed.confidence).toBeLessThan(alone.confidence);
  });

  test('a tax without a sum is beside its label', () => {
    expect(fieldOf('tax', ['Total 23.20', 'VAT 2.25'])).toBe(2.25);
  });
});

describe('The parties of an invoice', () => {
  const blocks = [
    'Verkäufer',
    'Nummer: 549910',
    'Name: Lieferant GmbH',
    'Anschrift: Lieferantenstraße 20',
    'Käufer/Leistungsempfänger',
    'Globale Nummer: 4000001987658',
    'Kunden AG Mitte',
    'Kundenstraße 15',
  ];
  const letter = ['Bei Spiel GmbH · Ecke 12 · 12345 Stadthausen', 'Theodor Est', 'Bahnstr. 42', '88802 Spielkreis'];
  const columns = [
    'Bill to:                  Ship to:',
    'Acme Ltd                  Acme Warehouse',
    '12 Main Street            7 Dock Road',
  ];
  test.each([
    ['below their labels', blocks, ['Lieferant GmbH', 'Kunden AG Mitte']],
    ['by the line of the sender', ['Rechnung', 'Kunde: 2', ...letter], ['Bei Spiel GmbH', 'Theodor Est']],
    ['in the column of the label', ['Seller: Quill & Co', ...columns], ['Quill & Co', 'Acme Ltd']],
    [
      'below a label that has other labels and their values beside it',
      [
        'Juniper Joinery',
        'Bill to:                  Invoice number        INV-2024-00873',
        'Cafe Halcyon              Invoice date          2024-08-21',
        '5 Lantern Square          Customer number       K-10442',
      ],
      ['Juniper Joinery', 'Cafe Halcyon'],
    ],
    [
      'with broken words in the label',
      ['Ver käufer :', 'Lieferant GmbH', 'Käufer :', 'Frau', 'Liselotte Müller'],
      ['Lieferant GmbH', 'Liselotte Müller'],
    ],
    [
      'in two lines',
      ['Verkäufer:', 'MVM Musterhafter', 'Versicherung a.G.', 'Käufer:', 'Herrn', 'Max Muster'],
      ['MVM Musterhafter Versicherung a.G.', 'Max Muster'],
    ],
  ])('are found %s', (_, lines, [seller, buyer]) => {
    expect(fieldOf('vendor', lines)).toBe(seller);
    expect(fieldOf('customer', lines)).toBe(buyer);
  });

  test('a vendor without a label is the firm at the top', () => {
    expect(fieldOf('vendor', ['TIDEWATER FOODS LTD', '12 Quay Street', 'Invoice 17'])).toBe('TIDEWATER FOODS LTD');
  });
});

test.each([
  ['headings', 'Rechnung des Versicherers Nr. '],
  ['labels', 'Rechnungsempfänger: '],
  ['separators', 'A · '],
  ['amounts', 'Net 1.00 Tax 2.00 '],
])(
  'long lines and many of %s are bounded',
  (_, part) => {
    const lines = [part.repeat(500), ...Array.from({ length: 1_000 }, () => part.trim())];
    for (const name of ['number', 'date', 'net', 'tax', 'total', 'vendor', 'customer']) fieldOf(name, lines);
  },
  60_000,
);
