import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import { extract } from '#graphs/nodes/extract.ts';
import { fixture } from '#test/adapters/ocr/fixtures.ts';
import { attempt, errorOf, modelBench, said, type ModelBench } from '#test/graphs/support/model-nodes.ts';
import { pageOf } from '#test/support/records.ts';
import { chatStream } from '#test/support/servers/openai-server.ts';

let bench: ModelBench;
beforeAll(async () => {
  bench = await modelBench();
});
afterAll(() => bench.close());

type Fields = z.input<typeof extract.params>['fields'];

const invoice = [
  'Tischlerei Morgenrot',
  'Rechnungsnummer: RE-2024/17',
  'Rechnungsdatum: 5. März 2024',
  'Zwischensumme 1.100,00 EUR',
  'Gesamtbetrag: 1.309,00 €',
  'Anzahl: 12',
  'Bezahlt: ja',
  'Farben: rot, blau; grün',
].join('\n');
const rules = {
  total: { type: 'money', aliases: ['Gesamtbetrag'], required: true },
  date: { type: 'date', aliases: ['Rechnungsdatum'] },
  merchant: { type: 'string' },
  number: { type: 'string', aliases: ['Rechnungsnummer'] },
  count: { type: 'integer', aliases: ['Anzahl'] },
  paid: { type: 'boolean', aliases: ['Bezahlt'] },
  colors: { type: 'array', items: { type: 'string' }, aliases: ['Farben'] },
} satisfies Fields;

describe('The node extract, by rules', () => {
  test('finds total, date and merchant of a real receipt, each literally in the recognized text', async () => {
    const engine = createTesseractEngine({ language: 'eng', workers: 1 });
    const receipt = await fixture('receipt.jpg');
    const page = await engine.recognize(receipt.page, { timeoutMs: 60_000 });
    await engine.close();
    await using ready = await bench.deps(null);
    const { total, date, merchant } = rules;
    const { update, modelLabel, usage } = await attempt(extract, {
      deps: ready.deps,
      config: { fields: { total, date, merchant } },
      state: await bench.ocr(page),
    });
    const fields = update['fields'] as Record<string, any>;
    expect(modelLabel).toBe('local/rules-5');
    expect(usage).toMatchObject({ provider: 'local' });
    expect(fields).toMatchObject({
      total: { value: { amount: 29.41, currency: 'EUR' }, verified: true },
      date: { value: '2024-05-17', verified: true },
      merchant: { value: 'PEPPERCORN GROCERS', verified: true },
      missing: [],
    });
    for (const name of ['total', 'date', 'merchant']) {
      const { evidence, confidence } = fields[name];
      expect(page.text.slice(evidence.start, evidence.end)).toBe(evidence.text);
      expect(evidence).toMatchObject({ page: 0, box: expect.any(Array) as number[] });
      for (const side of evidence.box) expect(side >= 0 && side <= 1).toBe(true);
      expect(confidence > 0 && confidence <= 1).toBe(true);
    }
    expect(page.text.split('\n').find((line) => line.includes(fields['total'].evidence.text))).toMatch(/^TOTAL/);
  }, 60_000);

  test('reads German labels and spellings of every type', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf(invoice));
    const { update } = await attempt(extract, { deps: ready.deps, config: { fields: rules }, state });
    const fields = update['fields'] as Record<string, any>;
    const values = Object.fromEntries(Object.keys(rules).map((name) => [name, fields[name].value]));
    expect(values).toEqual({
      total: { amount: 1309, currency: 'EUR' },
      date: '2024-03-05',
      merchant: 'Tischlerei Morgenrot',
      number: 'RE-2024/17',
      count: 12,
      paid: true,
      colors: ['rot', 'blau', 'grün'],
    });
    const spans = Object.keys(rules).flatMap((name) => fields[name].evidence);
    for (const { text, start, end } of spans) expect(invoice.slice(start, end)).toBe(text);
  });

  test('says the page, and the box of the words on it', async () => {
    await using ready = await bench.deps(null);
    const pages = [pageOf('Deckblatt\nSeite 1'), pageOf('Gesamtbetrag: 12,50 €', 1)];
    const state = await bench.ocr(...pages);
    const { update } = await attempt(extract, { deps: ready.deps, config: { fields: { total: rules.total } }, state });
    const { evidence } = (update['fields'] as Record<string, any>)['total'];
    const text = pages.map((page) => page.text).join('\f');
    expect(evidence).toMatchObject({ text: '12,50 €', page: 1, start: text.indexOf('12,50') });
    const [x, y, width, height] = evidence.box;
    expect([x, y, x + width, height]).toEqual([0.14, 0, expect.closeTo(0.21), 0.015]);
  });

  test('claims nothing that has no label: neither one of two amounts nor a date for another date', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf('17.05.2024\nBrot 2,10\nMilch 1,20'));
    const fields = { total: { type: 'money' }, date: { type: 'date' }, dueDate: { type: 'date' } } as const;
    const { update } = await attempt(extract, { deps: ready.deps, config: { fields }, state });
    expect(update['fields']).toMatchObject({
      total: { value: null, evidence: null },
      date: { value: '2024-05-17' },
      dueDate: { value: null },
    });
  });

  test('a required field that is missing is listed, or fails the node where the config says so', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf('Nothing here'));
    const fields = { total: rules.total, date: rules.date };
    const { update } = await attempt(extract, { deps: ready.deps, config: { fields }, state });
    expect(update['fields']).toMatchObject({ missing: ['total'], total: { value: null } });
    const work = attempt(extract, { deps: ready.deps, config: { fields, onMissing: 'fail' }, state });
    expect(await errorOf(work)).toMatchObject({
      code: 'run.needs_input',
      detail: expect.stringContaining('total') as string,
    });
  });

  test('without recognized text everything is missing', async () => {
    await using ready = await bench.deps(null);
    const { update } = await attempt(extract, { deps: ready.deps, config: { fields: { total: rules.total } } });
    expect(update['fields']).toMatchObject({ missing: ['total'], ocrResultId: null });
  });
});

const told = {
  total: { value: { amount: 1309, currency: 'EUR' }, quote: 'gesamtbetrag:  1.309,00 €' },
  merchant: { value: 'Morgenrot', quote: 'Tischlerei Morgenrot' },
};
const two = { total: rules.total, merchant: { type: 'string', required: true } } satisfies Fields;

describe('The node extract, by a model', () => {
  const extracted = async (chat: readonly object[], config: object = {}) => {
    const ready = await bench.deps(chat.map((answer) => chatStream(answer)));
    const state = await bench.ocr(pageOf(invoice));
    const result = await attempt(extract, { deps: ready.deps, config: { fields: two, ...config }, state });
    return { ...ready, result, fields: result.update['fields'] as Record<string, any> };
  };

  test('stores the literal passage for a quote that differs in case and spaces', async () => {
    await using done = await extracted([told]);
    expect(done.fields).toMatchObject({
      total: { value: { amount: 1309 }, evidence: { text: 'Gesamtbetrag: 1.309,00 €' }, verified: true },
      merchant: { value: 'Morgenrot', evidence: { text: 'Tischlerei Morgenrot', start: 0, end: 20 }, verified: true },
      missing: [],
      modelLabel: 'openai/talk-1',
    });
    const { start, end, text } = done.fields['total'].evidence;
    expect(invoice.slice(start, end)).toBe(text);
    expect(done.fields['total'].confidence).toBeLessThan(done.fields['merchant'].confidence);
    expect(done.result.usage).toMatchObject({ provider: 'openai', inputTokens: 100, outputTokens: 20 });
    expect(said(done.server, 0).system).not.toContain('Morgenrot');
  });

  test.each([
    ['a quote that is not in the text', { ...told.total, quote: 'Gesamtbetrag: 9.999,00 €' }],
    ['no quote', { ...told.total, quote: null }],
    ['a quote that says another amount', { ...told.total, quote: 'Zwischensumme 1.100,00 EUR' }],
    ['a quote that is only part of a figure', { value: { amount: 309, currency: null }, quote: '309,00' }],
  ])('a value with %s counts as missing', async (_name, total) => {
    await using done = await extracted([{ ...told, total }]);
    expect(done.fields).toMatchObject({ total: { value: null, evidence: null, verified: false }, missing: ['total'] });
  });

  test('without requireEvidence such a value stays, marked as not verified', async () => {
    await using done = await extracted([{ ...told, total: { ...told.total, quote: 'made up' } }], {
      requireEvidence: false,
    });
    expect(done.fields).toMatchObject({
      total: { value: { amount: 1309 }, evidence: null, verified: false, confidence: 0.3 },
      missing: [],
    });
  });

  test('each item of an array has its own passage', async () => {
    const colors = {
      value: [
        { value: 'rot', quote: 'rot' },
        { value: 'grün', quote: 'grün' },
      ],
      quote: null,
    };
    await using done = await extracted([{ colors }], { fields: { colors: rules.colors } });
    expect(done.fields['colors']).toMatchObject({
      value: ['rot', 'grün'],
      evidence: [{ text: 'rot' }, { text: 'grün' }],
      verified: true,
    });
  });

  test('an answer that does not fit the fields is repaired once', async () => {
    await using done = await extracted([{ ...told, total: { value: '1309', quote: 'x' } }, told]);
    expect(done.fields['total'].value).toEqual({ amount: 1309, currency: 'EUR' });
    expect(said(done.server, 1).all[3].content).toContain('/total/value');
    expect(done.result.usage).toMatchObject({ inputTokens: 200 });
  });
});

const bill = [
  'Item             Qty    Price    Amount',
  'Brass hinge        2     4.00      8.00',
  'Delivery           1     2.00      2.00',
  'Total                             10.00',
  'Bill to: Blue Sky Ltd',
  'City: Hamburg',
].join('\n');
const nested = {
  items: {
    type: 'array',
    items: {
      type: 'object',
      fields: {
        description: { type: 'string', aliases: ['Item'] },
        quantity: { type: 'integer' },
        amount: { type: 'money', required: true },
        serial: { type: 'string', required: true },
      },
    },
  },
  buyer: {
    type: 'object',
    aliases: ['Bill to'],
    fields: { city: { type: 'string' }, phone: { type: 'string', required: true } },
  },
} satisfies Fields;

describe('The node extract, with objects and lists of objects', () => {
  test('finds their cells by rules, and names the required ones that are missing', async () => {
    await using ready = await bench.deps(null);
    const state = await bench.ocr(pageOf(bill));
    const { update } = await attempt(extract, { deps: ready.deps, config: { fields: nested }, state });
    expect(update['fields']).toMatchObject({
      items: {
        value: [
          { description: { value: 'Brass hinge' }, quantity: { value: 2 }, amount: { value: { amount: 8 } } },
          { description: { value: 'Delivery' }, quantity: { value: 1 }, amount: { value: { amount: 2 } } },
        ],
        evidence: null,
        verified: true,
      },
      buyer: { value: { city: { value: 'Hamburg' }, phone: { value: null } } },
      missing: ['items[].serial', 'buyer.phone'],
    });
  });

  const cell = (value: unknown, quote: string | null) => ({ value, quote });
  const row = (name: string, quantity: string, amount: string) => ({
    description: cell(name, name),
    quantity: cell(Number(quantity), quantity),
    amount: cell({ amount: Number(amount), currency: null }, amount),
    serial: cell(null, null),
  });

  test('locates each cell of a model in its own row, and drops one that the text lacks', async () => {
    const answer = {
      items: { value: [row('Brass hinge', '2', '8.00'), row('Delivery', '1', '2.00'), row('Made up', '7', '70.00')] },
      buyer: { value: { city: cell('Hamburg', 'City: Hamburg'), phone: cell('040', 'Phone 040') } },
    };
    await using ready = await bench.deps([chatStream(answer)]);
    const state = await bench.ocr(pageOf(bill));
    const { update } = await attempt(extract, { deps: ready.deps, config: { fields: nested }, state });
    const fields = update['fields'] as Record<string, any>;
    expect(fields['items'].value).toHaveLength(2);
    const delivery = bill.indexOf('Delivery');
    expect(fields['items'].value[1]).toMatchObject({
      quantity: { value: 1, evidence: { start: bill.indexOf('1', delivery) }, verified: true },
      amount: { value: { amount: 2 }, evidence: { text: '2.00', start: bill.indexOf('2.00', delivery) } },
    });
    expect(fields['buyer']).toMatchObject({
      value: { city: { verified: true }, phone: { value: null } },
      verified: true,
    });
    expect(fields).toMatchObject({ missing: ['items[].serial', 'buyer.phone'] });
  });

  test.each([
    ['an object without fields', { a: { type: 'object' } }, 'needs fields'],
    ['fields of a text', { a: { type: 'string', fields: { b: { type: 'string' } } } }, 'has no fields'],
    [
      'fields beside the items of an array',
      { a: { type: 'array', fields: { b: { type: 'string' } } } },
      'stand in items',
    ],
    [
      'items of a number',
      { a: { type: 'number', items: { type: 'object', fields: { b: { type: 'string' } } } } },
      'has no items',
    ],
    [
      'objects in objects in objects',
      { a: { type: 'object', fields: { b: { type: 'object', fields: {} } } } },
      'Invalid option',
    ],
  ])('refuses %s', (_name, fields, message) => {
    const [issue] = extract.params.safeParse({ fields }).error?.issues ?? [];
    expect(issue?.path.slice(0, 2)).toEqual(['fields', 'a']);
    expect(issue?.message).toContain(message);
  });
});

test.each([
  ['no fields', {}],
  ['a field whose name the result needs', { missing: { type: 'string' } }],
  ['a name that is no identifier', { 'a b': { type: 'string' } }],
  ['an unknown type', { a: { type: 'text' } }],
])('extract refuses %s', (_name, wrong) => {
  expect(extract.params.safeParse({ fields: wrong }).error?.issues[0]?.path[0]).toBe('fields');
});
