import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extracting, read, run } from '#test/records/support/scanned.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { collectionsIn, eventsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
let workflowId: string;
const scans: Awaited<ReturnType<typeof read>>[] = [];
const documents: string[] = [];

const receipt = (shop: string, day: string, lines: readonly string[], total: string): string =>
  [shop, `Date: ${day}`, ...lines, `TOTAL ${total}`].join('\n');
const texts = [
  receipt('PEPPERCORN GROCERS LTD', '17/05/2026', ['Bread 2.50', 'Cheese 7.50'], 'EUR 10.00'),
  receipt('PEPPERCORN GROCERS LTD', '03/06/2026', ['Wine 30.10'], 'EUR 30.10'),
  receipt('NORTHERN RAIL LTD', '21/06/2026', ['Ticket 80.20'], 'EUR 80.20'),
  receipt('NORTHERN RAIL LTD', '22/06/2026', ['Ticket 45.00'], 'USD 45.00'),
];

const ask = (query: Readonly<Record<string, string>>) =>
  app.call('GET', `/api/service/records?${new URLSearchParams({ recordType: 'receipt', ...query }).toString()}`, {
    key: app.seed.agentKey,
  });
const found = async (filter: object): Promise<number[]> => {
  const { status, body } = await ask({ filter: JSON.stringify(filter), sort: 'total' });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.records.map((one: { documentId: string }) => documents.indexOf(one.documentId));
};

beforeAll(async () => {
  app = await startTestApp();
  cookie = await app.signIn();
  workflowId = await extracting(app, { recordType: 'receipt' });
  for (const [at, text] of texts.entries()) {
    const scanned = await read(app, 40 + at, text);
    scans.push(scanned);
    documents.push(scanned.documentId);
    const ended = await run(app, workflowId, scanned);
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'succeeded' });
  }
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

describe('Records that a workflow stores', () => {
  test('have a cell for each field, with its words, page and box', async () => {
    const { body } = await ask({ documentId: documents[0] ?? '' });
    expect(body).toMatchObject({ recordType: { name: 'receipt', version: 0 }, nextCursor: null, groups: null });
    const [record] = body.records;
    expect(record).toMatchObject({
      status: 'proposed',
      problems: [],
      revision: 1,
      pageUrls: { 0: expect.any(String) },
    });
    expect(record.cells.total).toMatchObject({
      value: { amount: 10, currency: 'EUR' },
      verified: true,
      page: 0,
      by: 'rules',
      box: [expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)],
    });
    expect(texts[0]).toContain(record.cells.total.raw);
    expect(record.cells.date.value).toBe('2026-05-17');
    expect((await app.call('GET', record.pageUrls[0])).status).toBe(200);
  });

  test('name their document, as JSON, as lines and in the last column of a table', async () => {
    const documentId = documents[0] ?? '';
    const named = async (body: object) =>
      expect((await app.call('PATCH', `/api/dashboard/documents/${documentId}`, { cookie, body })).status).toBe(200);
    await named({ filename: 'bread.png' });
    const ofFirst = async (format: string) => (await ask({ documentId, format })).body;
    expect((await ofFirst('json')).records[0].document).toEqual({ title: null, filename: 'bread.png' });
    expect(String(await ofFirst('csv')).trimEnd()).toMatch(/,pageUrl,documentName\n.*,bread\.png$/);
    await named({ title: '=Bread and cheese' });
    const [record] = (await ofFirst('json')).records;
    expect(record.document).toEqual({ title: '=Bread and cheese', filename: 'bread.png' });
    expect(JSON.parse(String(await ofFirst('jsonl'))).document).toEqual(record.document);
    expect(String(await ofFirst('csv')).trimEnd()).toMatch(/,'=Bread and cheese$/);
  });

  test.each<[object, number[]]>([
    [{ total: { gt: 10 } }, [1, 3, 2]],
    [{ total: { gte: 10, lt: 45 } }, [0, 1]],
    [{ total: { gt: 10, currency: 'USD' } }, [3]],
    [{ total: 10 }, [0]],
    [{ total: { lte: 10 } }, [0]],
    [{ total: { ne: 10 } }, [1, 3, 2]],
    [{ total: { in: [10, 45] } }, [0, 3]],
    [{ date: { gte: '2026-06-01', lte: '2026-06-21' } }, [1, 2]],
    [{ date: '2026-06-22' }, [3]],
    [{ merchant: 'northern rail ltd' }, [3, 2]],
    [{ merchant: { contains: 'corn' }, total: { gt: 20 } }, [1]],
    [{ merchant: { contains: 'GROC.*' } }, []],
    [{ merchant: { contains: 'a-b/c' } }, []],
    [{ merchant: { gte: 'north' } }, [0, 1, 3, 2]],
    [{ tax: { exists: false } }, [0, 1, 3, 2]],
    [{ tax: { exists: true } }, []],
  ])('are found by %j', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });

  test.each<[Record<string, string>, string]>([
    [{ filter: '{"totl":1}' }, '/filter/totl'],
    [{ filter: '{"total":{"gt":"much"}}' }, '/filter/total/gt'],
    [{ filter: '{"date":{"gte":"2026-02-30"}}' }, '/filter/date/gte'],
    [{ filter: '{"merchant":{}}' }, '/filter/merchant'],
    [{ filter: 'total>5' }, '/filter'],
    [{ sort: 'items.amount' }, '/sort'],
    [{ groupBy: 'total:month' }, '/groupBy/0'],
    [{ aggregate: 'sum(merchant)' }, '/aggregate/0'],
    [{ groupBy: 'items.description', aggregate: 'sum(total)' }, '/aggregate'],
    [{ limit: '0' }, '/limit'],
  ])('are not asked for by %j: the error names the field', async (query, pointer) => {
    const { status, body } = await ask(query);
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.errors[0].pointer).toBe(pointer);
  });

  test('are grouped and added up in the database; money of two currencies is never added', async () => {
    const { body } = await ask({ groupBy: 'merchant,date:month', aggregate: 'sum(total),avg(total),max(date)' });
    expect(body.records).toEqual([]);
    const rows = body.groups.map(({ key, count, values }: Record<string, any>) => [
      key['merchant'].slice(0, 5),
      key['date:month'],
      key['total.currency'],
      count,
      values['sum(total)'],
      values['max(date)'],
    ]);
    expect(rows.toSorted()).toEqual([
      ['NORTH', '2026-06', 'EUR', 1, 80.2, '2026-06-21'],
      ['NORTH', '2026-06', 'USD', 1, 45, '2026-06-22'],
      ['PEPPE', '2026-05', 'EUR', 1, 10, '2026-05-17'],
      ['PEPPE', '2026-06', 'EUR', 1, 30.1, '2026-06-03'],
    ]);
  });

  test.each(['total', '-total', '-createdAt', 'tax', '-tax'])('come in pages, sorted by %s', async (sort) => {
    const whole = (await ask({ sort })).body.records;
    const paged: unknown[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: any } = await ask({ sort, limit: '1', ...(cursor !== null && { cursor }) });
      paged.push(...body.records);
      cursor = body.nextCursor;
    } while (cursor !== null);
    const ids = (records: any[]): string[] => records.map(({ recordId }) => recordId);
    expect(ids(paged as any[])).toEqual(ids(whole));
    expect(new Set(ids(whole)).size).toBe(4);
  });

  test('are a table: money with its currency, and nothing that a spreadsheet would compute', async () => {
    const table = await ask({ format: 'csv', sort: 'total' });
    expect(table.headers.get('content-type')).toContain('text/csv');
    const [head, first] = String(table.body).split('\n');
    expect(head).toContain('recordId,documentId,status,merchant,date,total,total.currency,tax');
    expect(first).toContain('PEPPERCORN GROCERS LTD,2026-05-17,10,EUR,');
    const lines = String((await ask({ format: 'jsonl', cells: 'false' })).body);
    const parsed = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>);
    expect(parsed).toHaveLength(4);
    expect(parsed[0]).not.toHaveProperty('cells');
    expect(parsed[0]?.['values'].total.amount).toBeGreaterThan(1);
    const groups = { groupBy: 'date:month', aggregate: 'sum(total)', filter: '{"total":{"currency":"EUR"}}' };
    const summed = String((await ask({ ...groups, format: 'csv' })).body)
      .trim()
      .split('\n');
    expect([summed[0], ...summed.slice(1).toSorted()]).toEqual([
      'date:month,total.currency,count,sum(total)',
      '2026-05,EUR,1,10',
      '2026-06,EUR,2,110.3',
    ]);
    const several = await ask({ format: 'csv', explode: 'things' });
    expect(several.status).toBe(400);
    expect(several.body.errors).toMatchObject([{ pointer: '/explode', message: expect.stringContaining('items') }]);
  });
});

describe('Corrections', () => {
  const correct = (recordId: string, body: object, more: object = { cookie }) =>
    app.call('PATCH', `/api/dashboard/records/${recordId}`, { ...more, body });
  const record = async (at: number) => (await ask({ documentId: documents[at] ?? '' })).body.records[0];

  test('keep history, and no later run replaces them', async () => {
    const before = await record(1);
    const { status, body } = await correct(before.recordId, {
      revision: before.revision,
      set: { total: 31.5, 'items.0.description': 'Red wine' },
      confirm: false,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.cells.total).toMatchObject({ value: { amount: 31.5, currency: 'EUR' }, by: 'person', verified: false });
    expect(body.cells.total.box).toEqual(before.cells.total.box);
    expect(body).toMatchObject({ status: 'proposed', corrections: 2, document: before.document });
    const [, scan] = scans;
    if (scan === undefined) throw new Error('no second scan');
    expect((await run(app, workflowId, scan)).status).toBe('succeeded');
    expect(await record(1)).toMatchObject({ revision: before.revision + 2 });
    expect((await record(1)).cells.total.value.amount).toBe(31.5);
    expect(await found({ total: { gt: 31, lt: 32 } })).toEqual([1]);
    const stale = await correct(before.recordId, { revision: before.revision, set: {} });
    expect(stale.status).toBe(409);
    expect(stale.body.code).toBe('record.conflict');
  });

  test('that remove a row of a list keep it away from later runs', async () => {
    const { recordId, cells } = await record(0);
    expect(Object.keys(cells)).toContain('items.1.description');
    expect((await correct(recordId, { remove: ['items.0'], confirm: false })).status).toBe(200);
    const [scan] = scans;
    if (scan === undefined) throw new Error('no scan');
    expect((await run(app, workflowId, scan)).status).toBe('succeeded');
    const after = (await record(0)).cells;
    expect(Object.keys(after)).not.toContain('items.1.description');
    expect(after['items.0.description'].value).toBe(cells['items.1.description'].value);
  });

  test('by a program confirm too, and are told apart from those of people', async () => {
    const { recordId } = await record(2);
    const { body } = await app.call('PATCH', `/api/service/records/${recordId}`, {
      key: app.seed.agentKey,
      body: { set: { tax: { amount: 12.81, currency: 'EUR' } } },
    });
    expect(body).toMatchObject({ status: 'confirmed', cells: { tax: { by: 'agent', value: { amount: 12.81 } } } });
  });

  test('let search find the document by what was set, and keep it for the next run', async () => {
    const { recordId, documentId } = await record(0);
    const search = async (): Promise<string[]> => {
      const { body } = await app.call('GET', '/api/dashboard/documents?query=quixotic', { cookie });
      return body.documents.map(({ id }: { id: string }) => id);
    };
    const { organizationId, projectId } = app.seed;
    const place = {
      documentId,
      organizationId,
      projectId,
      apiKeyId: null,
      visibility: 'private',
      objectKey: 'x',
    } as const;
    const rest = {
      title: '',
      description: '',
      ocrText: texts[0] ?? '',
      segmentationText: '',
      identifiers: [],
      embeddings: {},
    };
    await app.app.deps.search.upsert({ ...place, ...rest, createdAt: new Date() });
    expect(await search()).toEqual([]);
    expect((await correct(recordId, { set: { merchant: 'Quixotic Bakers' }, confirm: false })).status).toBe(200);
    await expect.poll(search).toEqual([documentId]);
    const stored = await app.app.deps.documents.find({ organizationId, projectIds: [projectId] }, documentId);
    expect(stored?.recordText).toContain('Quixotic Bakers');
    const told = await collectionsIn(app.dataDir);
    const changes = (await eventsIn(told, { documentId })).filter(({ type }) => type === 'record.changed');
    expect(changes.map(({ data }) => data?.['revision'])).toEqual([1, 2, 3, 4]);
    expect(changes[3]).toMatchObject({ projectId, data: { recordId, recordType: 'receipt' } });
    expect(JSON.stringify(changes)).not.toContain('Quixotic');
    await told.close();
  });

  test('become references of a dataset when the record is confirmed', async () => {
    const saved = await app.call('POST', '/api/dashboard/datasets', {
      cookie,
      body: { name: 'Checked', source: { type: 'records', recordType: 'receipt' } },
    });
    expect(saved.status, JSON.stringify(saved.body)).toBe(201);
    expect(saved.body).toMatchObject({ added: 1, references: { fields: 1 } });
    const version = await app.app.deps.datasets.findVersion(app.seed.organizationId, saved.body.datasetId, 1);
    expect(version?.items).toMatchObject([
      { documentId: documents[2], reference: { fields: { total: 80.2, tax: 12.81, date: '2026-06-21' } } },
    ]);
  });

  test.each<[object, string]>([
    [{ set: { totl: 1 } }, '/set/totl'],
    [{ set: { total: 'much' } }, '/set/total'],
    [{ set: { date: '2026-13-01' } }, '/set/date'],
    [{ set: { 'items.9.amount': 1 } }, '/set/items.9.amount'],
    [{ set: { 'items.amount': 1 } }, '/set/items.amount'],
    [{ set: { total: { amount: 1, currency: 'euro' } } }, '/set/total'],
    [{ remove: ['items.9'] }, '/remove/0'],
  ])('%j are refused with the name of the field', async (body, pointer) => {
    const answer = await correct((await record(3)).recordId, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].pointer).toBe(pointer);
    expect((await record(3)).revision).toBe(1);
  });

  test('of another organization find no record', async () => {
    const { recordId } = await record(3);
    const other = await addNeighbour(app, 'organization');
    expect((await correct(recordId, { set: {} }, { key: other.agentKey })).status).toBe(404);
  });
});

describe('Record types', () => {
  const save = (body: object) => app.call('POST', '/api/dashboard/record-types', { cookie, body });

  test('have versions, and a change names the one that it is based on', async () => {
    const fields = { code: { type: 'string', aliases: ['Code'] }, level: { type: 'enum', values: ['low', 'high'] } };
    const first = await save({ name: 'label', fields });
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    expect(first.body).toMatchObject({ name: 'label', title: 'label', version: 1 });
    expect((await save({ name: 'label', fields })).body.code).toBe('record_type.conflict');
    expect((await save({ name: 'label', fields, baseVersion: 1 })).body.version).toBe(2);
    const { body } = await app.call('GET', '/api/dashboard/record-types', { cookie });
    expect(body.recordTypes.map((one: { name: string; version: number }) => [one.name, one.version])).toEqual([
      ['invoice', 0],
      ['label', 2],
      ['receipt', 0],
    ]);
  });

  test.each<[object, string]>([
    [{ fields: {} }, '/fields'],
    [{ fields: { a: { type: 'enum' } } }, '/fields/a/values'],
    [{ fields: { missing: { type: 'string' } } }, '/fields/missing'],
    [
      { fields: { a: { type: 'number' } }, rules: [{ name: 'x', expression: 'b > 1', message: 'm' }] },
      '/rules/0/expression',
    ],
    [
      { fields: { a: { type: 'number' } }, rules: [{ name: 'x', expression: 'a >', message: 'm' }] },
      '/rules/0/expression',
    ],
  ])('%j is refused', async (body, pointer) => {
    const answer = await save({ name: 'bad', ...body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(answer.body.errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
  });

  test('whose rule a record breaks ask a person, whose answer confirms it', async () => {
    const saved = await save({
      name: 'split-bill',
      fields: {
        net: { type: 'money', aliases: ['Net'], required: true },
        tax: { type: 'money', aliases: ['Tax'] },
        total: { type: 'money', aliases: ['Total'], required: true },
      },
      rules: [
        { name: 'adds-up', expression: 'net.amount + tax.amount == total.amount', message: 'the parts do not add up' },
      ],
    });
    expect(saved.status, JSON.stringify(saved.body)).toBe(201);
    const asking = await extracting(app, { recordType: 'split-bill', onDoubt: 'ask' });
    const scanned = await read(app, 60, 'Net 10.00\nTax 2.00\nTotal 13.00');
    const waiting = await run(app, asking, scanned);
    expect(waiting).toMatchObject({ status: 'waiting', waitingFor: [{ path: 'take' }] });
    expect(JSON.stringify(waiting.waitingFor)).toContain('the parts do not add up');
    const { status, body } = await app.call('POST', `/api/service/runs/${waiting.runId}/resume`, {
      key: app.seed.agentKey,
      body: { path: 'take', answer: { set: { tax: 3 } } },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    await app.app.idle();
    const ended = (await app.call('GET', `/api/service/runs/${waiting.runId}`, { key: app.seed.agentKey })).body;
    expect(ended, JSON.stringify(ended)).toMatchObject({
      status: 'succeeded',
      outputs: {
        fields: {
          tax: { value: { amount: 3 }, verified: false },
          net: { verified: true },
          record: { status: 'confirmed', problems: [] },
        },
      },
    });
  });

  test('that do not exist fail the run with their names', async () => {
    const missing = await extracting(app, { recordType: 'nothing' });
    const ended = await run(app, missing, await read(app, 70, 'Total 1.00'));
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'record_type.not_found' } });
    expect(ended.error.message).toContain('invoice, label, receipt');
  });
});

test('A deleted document takes its records with it', async () => {
  const { status } = await app.call('DELETE', `/api/dashboard/documents/${documents[0]}`, { cookie });
  expect(status).toBe(200);
  await app.app.idle();
  expect((await ask({ documentId: documents[0] ?? '' })).body.records).toEqual([]);
});
