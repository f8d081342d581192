import { describe, expect, test } from 'vitest';
import { localFinder } from '#src/domain/extract-locally/extract-locally.ts';
import { rowsOf, type Evidence, type FieldRule, type FoundField } from '#src/domain/extract-locally/field.ts';
import { pageOf } from '#test/support/records.ts';

const fields = {
  description: { type: 'string' },
  quantity: { type: 'number' },
  unitPrice: { type: 'money' },
  amount: { type: 'money' },
} as const;

const find = (lines: readonly string[], rule: FieldRule = { type: 'array', items: { type: 'object', fields } }) => {
  const text = lines.join('\n');
  return localFinder({ text, pages: [pageOf(text)] })('items', rule);
};

const shown = ({ value }: FoundField): string => {
  if (value === null) return '-';
  if (typeof value !== 'object') return String(value);
  return 'amount' in value ? JSON.stringify(value.amount) : 'a list';
};

/** Cells as texts: money as its amount, and `-` for what is missing. */
const plain = (found: FoundField): string[] =>
  rowsOf(found).map((row) =>
    Object.values(row)
      .map((cell) => shown(cell))
      .join(' | '),
  );

describe('Line items', () => {
  test.each([
    [
      'below an English header',
      [
        'Description               Qty   Unit price    Amount',
        'Brass hinge 40 mm           4         2.50     10.00',
        'Wood screws, box of 100     2         3.20      6.40',
        'Total                                          16.40',
      ],
      ['Brass hinge 40 mm | 4 | 2.5 | 10', 'Wood screws, box of 100 | 2 | 3.2 | 6.4'],
    ],
    [
      'below a German header, with a description that goes on',
      [
        'Pos  Bezeichnung            Menge  Einzelpreis     Betrag',
        '1    Arbeitsplatte Buche        2       149,00     298,00',
        '     geölt, 40 mm',
        '2    Lieferung                  1        39,00      39,00',
        'Gesamtbetrag                                       337,00',
      ],
      ['Arbeitsplatte Buche geölt, 40 mm | 2 | 149 | 298', 'Lieferung | 1 | 39 | 39'],
    ],
    [
      'whose names stand above their amounts',
      [
        'ITEM        QTY    PRICE   AMOUNT',
        'GREEN TEA',
        '9551234567      2     1.50     3.00',
        'BREAD',
        '9557654321      1     2.20     2.20',
        'TOTAL                        5.20',
      ],
      ['GREEN TEA | 2 | 1.5 | 3', 'BREAD | 1 | 2.2 | 2.2'],
    ],
    [
      'whose names stand below their amounts',
      [
        'ITEM        QTY    PRICE   AMOUNT',
        '9551234567      2     1.50     3.00',
        'GREEN TEA',
        '9557654321      1     2.20     2.20',
        'BREAD',
        'TOTAL                        5.20',
      ],
      ['GREEN TEA | 2 | 1.5 | 3', 'BREAD | 1 | 2.2 | 2.2'],
    ],
    [
      'of a till without a header, with counts in a line of their own',
      [
        'CORNER SHOP',
        'MILK 1L            2.40',
        '2 x 1.20',
        'APPLES             3.10',
        'SUBTOTAL           5.50',
        'CASH              10.00',
      ],
      ['MILK 1L | 2 | 1.2 | 2.4', 'APPLES | - | - | 3.1'],
    ],
    [
      'that were weighed, with the unit beside the weight',
      [
        'CORNER SHOP',
        'TOMATOES 0.640KG @ 3.90    2.50',
        'LENTILS 500G               1.95',
        'SUBTOTAL                   4.45',
        'CASH                       5.00',
      ],
      ['TOMATOES | 0.64 | 3.9 | 2.5', 'LENTILS 500G | - | - | 1.95'],
    ],
    [
      'with a cell that is missing and a discount that is no item',
      [
        'Item              Qty   Price    Amount',
        'Pen, blue           2    1.00      2.00',
        'Discount 10%                      -0.20',
        'Wrapping                           0.50',
        'Total                              2.30',
      ],
      ['Pen, blue | 2 | 1 | 2', 'Wrapping | - | - | 0.5'],
    ],
  ])('are found %s', (_name, lines, rows) => {
    const found = find(lines);
    expect(plain(found)).toEqual(rows);
    const text = lines.join('\n');
    const cells = rowsOf(found).flatMap((row) => Object.values(row).filter(({ value }) => value !== null));
    for (const { evidence } of cells) {
      const { start, end, text: quoted } = evidence as Evidence;
      expect(text.slice(start, end)).toBe(quoted);
    }
    expect(found.confidence).toBe(Math.min(...cells.map(({ confidence }) => confidence)));
    expect(found).toMatchObject({ evidence: null, verified: true });
  });

  test('are surer where their amounts add up to the total', () => {
    const lines = ['Item       Amount', 'Pen          2.00', 'Ink          3.00'];
    const [right, wrong] = ['5.00', '9.00'].map((total) => {
      const [first] = rowsOf(find([...lines, `Total        ${total}`]));
      return first?.['amount']?.confidence ?? 0;
    });
    expect(right).toBeGreaterThan(0.85);
    expect(wrong).toBeLessThan(0.75);
  });

  test('are columns by names and aliases of fields, of any type', () => {
    const rule: FieldRule = {
      type: 'array',
      items: {
        type: 'object',
        fields: {
          who: { type: 'string', aliases: ['Employee'] },
          entered: { type: 'date', aliases: ['Joined on'] },
          pay: { type: 'money', aliases: ['Salary'] },
        },
      },
    };
    const lines = [
      'Employee         Joined on        Salary',
      'Ada Brandt       2019-04-01     4,200.00',
      'Bo Lind          2021-10-15     3,900.00',
    ];
    expect(plain(find(lines, rule))).toEqual(['Ada Brandt | 2019-04-01 | 4200', 'Bo Lind | 2021-10-15 | 3900']);
  });

  test('go on on the next page', () => {
    const header = 'Description        Qty     Price    Amount';
    const row = (name: string, amount: string) => `${name}              1      ${amount}      ${amount}`;
    const texts = [
      [header, row('First', '1.00')].join('\n'),
      [row('Other', '2.00'), 'Total                             3.00'].join('\n'),
    ];
    const rule: FieldRule = { type: 'array', items: { type: 'object', fields } };
    const pages = texts.map((text, at) => pageOf(text, at));
    const found = localFinder({ text: texts.join('\f'), pages })('items', rule);
    expect(plain(found)).toEqual(['First | 1 | 1 | 1', 'Other | 1 | 2 | 2']);
    expect(rowsOf(found)[1]?.['amount']?.evidence).toMatchObject({ page: 1 });
  });

  test('are none in a letter and in a table of taxes', () => {
    expect(find(['Dear Ms Brandt,', 'we met on 3 May.', 'Yours, Bo'])).toMatchObject({ value: null, confidence: 0 });
    expect(
      find(['GST summary    Amount    Tax', 'SR             28.00    1.68', 'Total          28.00    1.68']).value,
    ).toBeNull();
  });

  test.each([
    ['lines in one place', Array.from({ length: 3_000 }, () => '1.00'), 0],
    ['one long row', [Array.from({ length: 5_000 }, (_, at) => `${at}.00`).join(' ')], 0.001],
    ['headers alone', Array.from({ length: 1_500 }, () => 'Description Qty Price Amount'), 0.001],
  ])('are bounded on %s', (_name, lines, height) => {
    const text = lines.join('\n');
    const page = pageOf(text);
    const squeezed = page.lines.map((line) => ({ ...line, box: [0, line.box[1] * height, 1, height] as const }));
    const found = localFinder({ text, pages: [{ lines: squeezed }] })('items', {
      type: 'array',
      items: { type: 'object', fields },
    });
    expect(rowsOf(found).length).toBeLessThanOrEqual(200);
  });
});

describe('An object', () => {
  const buyer: FieldRule = {
    type: 'object',
    aliases: ['Bill to'],
    fields: { city: { type: 'string' }, phone: { type: 'string' }, fax: { type: 'string' } },
  };
  const lines = [
    'City: Bremen',
    'Phone: 0421 998877',
    '',
    '',
    '',
    'Bill to: Blue Sky Ltd',
    'City: Hamburg',
    'Phone: 040 123456',
  ];

  test('has the fields below its label, not those of others', () => {
    const text = lines.join('\n');
    const found = localFinder({ text, pages: [pageOf(text)] })('buyer', buyer);
    expect(found).toMatchObject({
      value: { city: { value: 'Hamburg' }, phone: { value: '040 123456' }, fax: { value: null } },
      evidence: null,
      verified: true,
    });
  });

  test('is absent where none of its fields is found', () => {
    expect(find(['Nothing here'], buyer)).toEqual({ value: null, evidence: null, confidence: 0, verified: false });
  });
});
