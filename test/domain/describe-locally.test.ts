import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeDocument } from '#src/domain/describe-locally/describe-text.ts';
import { guessDocumentType } from '#src/domain/describe-locally/document-type.ts';
import { findHeadline, whole } from '#src/domain/describe-locally/find-headline.ts';
import { guessLanguage } from '#src/domain/describe-locally/guess-language.ts';
import { pictureFacts } from '#src/domain/describe-locally/picture-facts.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

interface Truth {
  readonly file: string;
  readonly kind: string;
  readonly pages: number;
  readonly facts: Readonly<Record<string, string>>;
  readonly text: string;
}

const truths = JSON.parse(readFileSync(new URL('../fixtures/ground-truth.json', import.meta.url), 'utf8')) as Truth[];
/** Facts that no pattern can know: wording of running text. */
const beyondPatterns = new Set(['residents', 'passengers', 'meeting']);
const typeOf: Readonly<Record<string, string>> = { note: 'memo' };

function describe(text: string, more: { pages?: number; avgConfidence?: number } = {}) {
  const picture = { tone: 'mostly white', coloured: false } as const;
  return describeDocument({ text, avgConfidence: 90, pages: 1, width: 1240, height: 1754, picture, ...more });
}

function valueOf(text: string, name: string): string | undefined {
  return describe(text).keyFields.find((field) => field.name === name)?.value;
}

test.each(truths.filter(({ text }) => text !== ''))('$file is recognized as a $kind with its key facts', (truth) => {
  const value = describe(truth.text, { pages: truth.pages });
  expect(value.documentType).toBe(typeOf[truth.kind] ?? truth.kind);
  const said = JSON.stringify([value.title, value.description, value.keyFields]).toLowerCase();
  const missing = Object.entries(truth.facts).filter(
    ([name, fact]) =>
      !beyondPatterns.has(name) &&
      !fact
        .toLowerCase()
        .split(' ')
        .every((word) => said.includes(word)),
  );
  expect(missing).toEqual([]);
  expect(value.title).not.toBe('');
});

test('the description says what the type was judged by', () => {
  const value = describe('ACME Ltd\nInvoice number A-17/2024\nTotal due EUR 1,234.50\nDue date 2024-05-01');
  expect(value.description).toContain('Looks like an invoice, judging by the words "invoice number"');
  expect(value.description).toContain('total EUR 1,234.50');
  expect(value.title).toBe('Invoice A-17/2024, ACME Ltd, €1,234.50');
  expect(value.tags).toContain('invoice');
});

test('the title and the fields of an invoice say what its record says, by the same rules', () => {
  const invoice = [
    'Lieferant GmbH',
    'Ihre Bestellung vom 01.03.2018, Lieferung am 02.03.2018',
    'Handelsrechnung (380) 05.06.2018',
    'Nr. 471102',
    'Zahlbar bis 04.07.2018',
    'Nettobetrag 198,00',
    'Umsatzsteuer 19 % 37,62',
    'Rechnungsbetrag 235,62 EUR',
  ].join('\n');
  expect(describe(invoice).title).toBe('Invoice 471102, Lieferant GmbH, 5 Jun 2018, €235.62');
  expect(valueOf(invoice, 'invoice number')).toBe('471102');
  expect(valueOf(invoice, 'date')).toBe('05.06.2018');
  expect(valueOf(invoice, 'total')).toBe('235,62 EUR');
});

test('German words for an invoice are compounds, and other compounds are none', () => {
  for (const word of ['Handelsrechnung', 'WARENRECHNUNG', 'Rechnungsnummer', 'Rechnungskorrektur'])
    expect(guessDocumentType(`${word}\n471102`).type, word).toBe('invoice');
  for (const word of ['Gehaltsabrechnung', 'Berechnung', 'Anrechnung'])
    expect(guessDocumentType(word).type, word).not.toBe('invoice');
});

test('a headline is no number of a page, no label of a party and no amount', () => {
  expect(findHeadline('Seite von\n1 3\nBericht über den Markt')).toBe('Bericht über den Markt');
  expect(findHeadline('Verkäufer\nStadtwerke im Tal')).toBe('Stadtwerke im Tal');
  expect(findHeadline('Nettobetrag 198,00\nStadtwerke im Tal')).toBe('Stadtwerke im Tal');
});

test('the title of an invoice names who sent it, not whom it is for', () => {
  const letter = [
    'Bei Spiel GmbH • Ecke 12 • 12345 Stadthausen',
    'Theodor Est',
    'Bahnstr. 42',
    '88802 Spielkreis',
    'Rechnung R17',
    'Rechnungsnummer: R17',
    'Rechnungsdatum: 19.01.2024',
    'Brutto 104,00 €',
  ];
  expect(describe(letter.join('\n')).title).toBe('Invoice R17, Bei Spiel GmbH, 19 Jan 2024, €104.00');
});

test('without text it says so, names only size and light, and guesses nothing', () => {
  const value = describe('  \n — ');
  expect(value).toMatchObject({
    documentType: 'unknown',
    language: 'und',
    keyFields: [],
    title: 'Image without recognized text',
  });
  expect(value.description).toBe(
    'No text was recognized. The image has 1 page; the first is 1240 x 1754 pixels, mostly white, without colour. What it shows was not examined.',
  );
});

test.each([
  [
    'RESTORAN WAN SHENG\nNo 2 Jalan Temenggung 19/9\nTAX INVOICE\nReceipt #: 4711\n20/03/2018 12:30\nTeh O 2.00\nNasi 4.00\nTotal RM 6.00\nCash 10.00\nChange 4.00',
    'Receipt, Restoran Wan Sheng, 20 Mar 2018, RM 6.00',
  ],
  [
    'Calder Savings Bank Page 10f 2\nStatement date 2024-02-01\nOpening balance 100.00\nClosing balance 90.00',
    'Statement, Calder Savings Bank, 1 Feb 2024',
  ],
  [
    'Brightwater Ltd\n6 November 2023\nDear Mr Holm,\nSubject: Your claim for water damage\nWe have finished it.\nYours sincerely',
    'Letter: Your claim for water damage',
  ],
  [
    'Firma Holm GmbH\nIhr Antrag auf Ratenzahlung\nSehr geehrte Frau Holm,\nwir haben ihn geprüft.\nMit freundlichen Grüßen',
    'Letter: Ihr Antrag auf Ratenzahlung',
  ],
  [
    'which the committee had asked for in the spring of the year before and did not get until\nthe autumn, when gardens were dug and gardens were planted again. Nobody minded the autumn.',
    'Text about autumn and gardens',
  ],
  [
    'Annual plan of the allotment gardens and of\ntheir committee\nTo be read by all',
    'Annual plan of the allotment gardens and of their committee',
  ],
])('of %j the title is what a person would write', (text, title) => {
  expect(describe(text).title).toBe(title);
  expect(describe(text).description).not.toMatch(/unknown|…/u);
});

test('the description of a paper names its recipient, and takes no other label for one', () => {
  const head = 'ACME Ltd\nInvoice number A-17/2024\nTotal due EUR 5.00\n';
  expect(describe(`${head}Bill to: Ruth Gallagher`).description).toContain(
    'From ACME Ltd, to Ruth Gallagher, over €5.00.',
  );
  expect(describe(`${head}Customer copy`).description).toContain('From ACME Ltd, over €5.00.');
});

test('unsure recognition is said', () => {
  expect(describe('Some words here', { avgConfidence: 41.4 }).description).toContain(
    'recognition was unsure (confidence 41 of 100)',
  );
  expect(describe('Some words here').description).not.toContain('unsure');
});

test('text that fits no type stays unknown', () => {
  expect(guessDocumentType('grey clouds over the hills')).toEqual({ type: 'unknown', evidence: [] });
  expect(describe('grey clouds over the hills').description).toBe(
    'It begins with "grey clouds over the hills". 1 page.',
  );
});

test('an invoice that is merely mentioned does not make an invoice', () => {
  expect(guessDocumentType('Dear Ms. Holm,\nthank you for the invoice.\nYours sincerely').type).toBe('letter');
});

test.each([
  ['Rechnung Nr. 2024-118\nRechnungsbetrag 1.190,00 EUR', 'invoice'],
  ['Sehr geehrte Frau Holm,\n...\nMit freundlichen Grüßen', 'letter'],
  ['Facture no 2024-118\nTotal TTC 119,00 EUR', 'invoice'],
  ['Kontoauszug Nr. 3\nalter Kontostand 5,00', 'statement'],
  ['MIETVERTRAG\nzwischen den Parteien', 'contract'],
  ['Rental agreement\nThe parties hereby agree', 'contract'],
])('%j is a %s', (text, expected) => {
  expect(describe(text).documentType).toBe(expected);
});

test.each([
  ['The pump has been repaired and the list of the plots is in the shed', 'en'],
  ['Die Pumpe wurde repariert und die Liste der Gärten ist in dem Schuppen', 'de'],
  ['La pompe a été réparée et la liste des jardins est dans la cabane avec les clés', 'fr'],
  ['La bomba ha sido reparada y la lista de los jardines está en el cobertizo con las llaves', 'es'],
  ['La pompa è stata riparata e la lista degli orti che sono della società è nella baracca', 'it'],
  ['4711 EUR 29.41', 'und'],
  ['lorem ipsum dolor amet', 'und'],
])('the language of "%s" is %s', (text, expected) => {
  expect(guessLanguage(text)).toBe(expected);
});

test.each([
  ['Rechnungsbetrag: 1.190,00 EUR', 'total', '1.190,00 EUR'],
  ['Total $1,284.50', 'total', '$1,284.50'],
  ['SUBTOTAL 9.00\nTOTAL 9.63', 'total', '9.63'],
  ['Total 30', 'total', '30'],
  ['The total due within 30 days', 'total', undefined],
  ['Total weight 83.5 kg', 'total', undefined],
  ['Total weight: 83.5 kg', 'weight', '83.5 kg'],
  ['Tel. +44 20 7946 0991', 'phone', '+44 20 7946 0991'],
  ['write to a.b+c@mail.example.org.', 'email', 'a.b+c@mail.example.org'],
  ['see https://example.org/a?b=1.', 'website', 'https://example.org/a?b=1'],
  ['Datum: 3. März 2024', 'date', '3. März 2024'],
  ['Held 12 May\nDate: 05/06/2024', 'date', '05/06/2024'],
  ['Date of birth 23 August 1986', 'date of birth', '23 August 1986'],
  ['Payable by 30 April 2024', 'due date', '30 April 2024'],
  ['Order number: PO-41975', 'order number', 'PO-41975'],
  ['in order to 2024 people', 'order number', undefined],
  ['IBAN: DE81 9990 4120 7744 3100 52', 'iban', 'DE81 9990 4120 7744 3100 52'],
])('%j has %s = %s', (text, name, expected) => {
  expect(valueOf(text, name)).toBe(expected);
});

test('the title is the first strong line, not an address, a date or a page number', () => {
  expect(findHeadline('Page 1 of 3\n12 May 2024\n14 Mill Lane\nwww.example.org\nAnnual Garden Plan\nmore')).toBe(
    'Annual Garden Plan',
  );
  expect(findHeadline('|| -- 77 ..')).toBe('');
  expect(findHeadline('long '.repeat(50))).toBe('');
  expect(whole('long '.repeat(50)).length).toBeLessThanOrEqual(90);
});

test('control characters of hostile text reach neither title nor description', () => {
  const value = describe('Bad\u0007 title\u202E here\nDear all,\nKind regards');
  expect(value.title + value.description).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test.each([
  'a',
  '1 ',
  'A1 ',
  'total ',
  '1.111',
  'no ',
  'a@',
  '+1 (',
  'Holder A',
  'date ',
  'invoice number ',
  '\n',
  'Dear ',
  ' ',
])('a text of only %j repeated is read in bounded time', (part) => {
  const computed = cpuClock();
  describe(`${part.repeat(Math.ceil(100_000 / part.length))}x`);
  expect(computed()).toBeLessThan(1500);
});

test('the picture alone tells light and colour', () => {
  const solid = (red: number, green: number, blue: number) => ({
    rgb: Uint8Array.from({ length: 128 * 128 * 3 }, (_, at) => [red, green, blue][at % 3] ?? 0),
  });
  expect(pictureFacts(solid(255, 255, 255))).toEqual({ tone: 'mostly white', coloured: false });
  expect(pictureFacts(solid(20, 20, 20))).toEqual({ tone: 'dark', coloured: false });
  expect(pictureFacts(solid(200, 60, 60)).coloured).toBe(true);
});
