import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { deletedAt, storedIn } from '#test/experiments/support/deleted.ts';
import { cpuClock } from '#test/support/cpu-time.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';

const secret = 'Zwirnhalter';
const datasets = '/api/dashboard/datasets';

let app: TestApp;
let cookie: string;
let id: string;
beforeAll(async () => {
  // No worker: nothing runs here.
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
  ({ id } = await app.store(tinyPng, 'image/png'));
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app[Symbol.asyncDispose]());

const save = (body: object): Promise<Answer> =>
  app.call('POST', datasets, { cookie, body: { name: 'Hostile', ...body } });
const read = (datasetId: string, query = ''): Promise<Answer> =>
  app.call('GET', `${datasets}/${datasetId}${query}`, { cookie });
const picture = async (width: number): Promise<string> => {
  const background = { r: width, g: 90, b: 10 };
  const png = await sharp({ create: { width, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
  return (await app.store(png, 'image/png')).id;
};
const saved = async (body: object): Promise<any> => {
  const answer = await save(body);
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
  return answer.body;
};
const count = async (): Promise<number> =>
  (await app.call('GET', `${datasets}?limit=100`, { cookie })).body.datasets.length;

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const line = (more: string): string => `{"documentId":"HERE","reference":${more}}`;
/** Source, and what its error says of the place. */
const hostile: Readonly<Record<string, readonly ['csv' | 'jsonl', () => string, RegExp]>> = {
  'a cell of 600 kB': ['csv', () => `documentId,text\nHERE,${'x'.repeat(600_000)}\n`, /line 2 .*cell 2 of record 2/],
  'a text of 200 kB': ['csv', () => `documentId,text\nHERE,${'x'.repeat(200_000)}\n`, /line 2 .*reference\.text/],
  'a field of 20 kB': [
    'csv',
    () => `documentId,fields.a\nHERE,${'x'.repeat(20_000)}\n`,
    /line 2 .*reference\.fields\.a/,
  ],
  '100,000 rows': ['csv', () => `documentId\n${'HERE\n'.repeat(100_000)}`.slice(0, 899_000), /line 502 .*at most 500/],
  'a quoted field that never ends': ['csv', () => `documentId,text\nHERE,a\nHERE,"b\n`, /cell 2 of record 3 never end/],
  'one of 500 kB': ['csv', () => `documentId,text\nHERE,"${'x\n'.repeat(250_000)}`, /cell 2 of record 2/],
  'quotes and nothing else': ['csv', () => '"'.repeat(450_000), /line 1 /],
  '30,000 columns': ['csv', () => `${'fields.abc,'.repeat(30_000)}\nHERE\n`, /line 1 .*columns/],
  'a column twice': ['csv', () => `documentId,text,text\nHERE,a,b\n`, /line 1 .*two columns "text"/],
  'a field twice': ['csv', () => `documentId,fields.a,fields.a\nHERE,a,b\n`, /line 1 .*two columns "fields\.a"/],
  'a column __proto__': ['csv', () => `documentId,__proto__\nHERE,a\n`, /line 1 .*"__proto__"/],
  'a column constructor': ['csv', () => `documentId,constructor\nHERE,a\n`, /line 1 .*"constructor"/],
  'a field __proto__': ['csv', () => `documentId,fields.__proto__\nHERE,a\n`, /line 1 .*"fields\.__proto__"/],
  'a field constructor': ['csv', () => `documentId,fields.constructor\nHERE,a\n`, /line 1 .*"fields\.constructor"/],
  'a column that means nothing': ['csv', () => `documentId,Label\nHERE,a\n`, /line 1 .*"Label"/],
  'no column documentId': ['csv', () => `id\nHERE\n`, /line 1 /],
  'a row with too many cells': ['csv', () => `documentId,text\nHERE,a,b\n`, /line 2 .*3 cells/],
  'NUL in a cell': ['csv', () => `documentId,text\nHERE,a\0b\n`, /line 2 .*reference\.text.*NUL/],
  'NUL in a heading': ['csv', () => `documentId,fields.a\0b\nHERE,a\n`, /line 1 .*fields\.a/],
  'nothing but a mark of order': ['csv', () => '\uFEFF', /line 1 /],
  '10,000 levels': ['jsonl', () => line(`{"answers":{"ask":${deep(10_000)}}}`), /line 1 .*nested deeper/],
  '400,000 levels': ['jsonl', () => `\n${line(deep(400_000))}`, /line 2 .*nested deeper/],
  'a reference __proto__': ['jsonl', () => line('{"__proto__":{"label":"x"}}'), /line 1 .*__proto__/],
  'fields __proto__': ['jsonl', () => line('{"fields":{"__proto__":"x"}}'), /line 1 .*fields\/__proto__/],
  'fields constructor': ['jsonl', () => line('{"fields":{"constructor":"x"}}'), /line 1 .*fields\/constructor/],
  'an answer with __proto__': ['jsonl', () => line('{"answers":{"ask":{"__proto__":1}}}'), /line 1 .*__proto__/],
  'an answer with NUL in a name': ['jsonl', () => line('{"answers":{"ask":{"a\\u0000b":1}}}'), /line 1 .*answers/],
  'NUL in a label': ['jsonl', () => line('{"label":"a\\u0000b"}'), /line 1 .*reference\.label.*NUL/],
  'a path of 800 kB': ['jsonl', () => line(`{"${'x'.repeat(800_000)}":{"__proto__":1}}`), /line 1 /],
  '100,000 lines': ['jsonl', () => `{"documentId":"HERE"}\n`.repeat(20_000), /line 501 .*at most 500/],
};

describe('sources', () => {
  test.each(Object.entries(hostile))(
    '%s is refused with its place, soon, and nothing is stored',
    async (_what, one) => {
      const [type, make, place] = one;
      const before = await count();
      const text = make().replaceAll('HERE', id).slice(0, 900_000);
      const clock = cpuClock();
      const { status, body } = await save({ source: { type, text } });
      expect(clock()).toBeLessThan(2_000);
      expect({ status, code: body.code }, JSON.stringify(body).slice(0, 500)).toEqual({
        status: 400,
        code: 'request.invalid',
      });
      expect(body.detail).toMatch(place);
      expect(body.errors[0].pointer).toBe('/source/text');
      expect(JSON.stringify(body).length).toBeLessThan(2_000);
      expect(await count()).toBe(before);
      expect(({} as { label?: unknown }).label).toBeUndefined();
    },
  );

  test('a source of 1 MB is refused by its size', async () => {
    const { status, body } = await save({ source: { type: 'csv', text: 'x'.repeat(1_000_000) } });
    expect([400, 413]).toContain(status);
    expect(JSON.stringify(body)).toMatch(/source|1 MiB/);
  });

  test('formulas are text, and a mark of order is none of it', async () => {
    const text = `\uFEFFdocumentId,label,fields.a,fields.b,split\n${id},=1+1,"=HYPERLINK(""http://x"",""y"")",@SUM(A1),dev\n`;
    const { datasetId } = await saved({ source: { type: 'csv', text } });
    const { body } = await read(datasetId);
    expect(JSON.parse(body.items[0].referenceText)).toEqual({
      label: '=1+1',
      fields: { a: '=HYPERLINK("http://x","y")', b: '@SUM(A1)' },
    });
  });

  test('items of a request have the same bounds', async () => {
    const before = await count();
    for (const answers of [`{"ask":${deep(200_000)}}`, '{"ask":{"a\\u0000b":1}}', '{"ask":{"$where":1}}']) {
      const raw = `{"name":"Hostile","items":[{"documentId":"${id}","reference":{"answers":${answers}}}]}`;
      const clock = cpuClock();
      const { status, body } = await app.call('POST', datasets, { cookie, raw });
      expect(clock()).toBeLessThan(2_000);
      expect(status, JSON.stringify(body)).toBe(400);
      expect(body.errors[0].pointer).toBe('/items/0/reference/answers');
    }
    expect(await count()).toBe(before);
  });
});

describe('splits', () => {
  test('stay as they are when documents are added, also those that nobody chose', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, at) => picture(20 + at)));
    const first = await saved({ items: ids.slice(0, 6).map((documentId) => ({ documentId })) });
    const { datasetId } = first;
    const dev = async (): Promise<string[]> =>
      (await read(datasetId)).body.items.map((item: { documentId: string }) => item.documentId);
    const before = await dev();
    const items = ids.slice(6).map((documentId) => ({ documentId }));
    const second = await saved({ datasetId, baseVersion: 1, items });
    expect(second.counts.dev + second.counts.holdout).toBe(12);
    const after = await dev();
    expect(after.filter((one) => ids.slice(0, 6).includes(one)).toSorted()).toEqual(before.toSorted());
  });

  test('cannot be changed to see the references of a holdout, and what was seen is no holdout', async () => {
    const [held, shown, copied] = [await picture(60), await picture(61), await picture(60)];
    const reference = { label: secret };
    const { datasetId } = await saved({
      items: [
        { documentId: held, split: 'holdout', reference },
        { documentId: shown, split: 'dev' },
      ],
    });
    let baseVersion = 1;
    const moved = async (documentId: string, split: string): Promise<Answer> =>
      save({ datasetId, baseVersion, items: [{ documentId, split }] });
    for (const [documentId, split] of [
      [held, 'dev'],
      [shown, 'holdout'],
      // The same bytes under another id take the whole group along.
      [copied, 'dev'],
    ] as const)
      expect(await moved(documentId, split)).toMatchObject({ status: 409, body: { code: 'dataset.split_conflict' } });
    const left = await saved({ datasetId, baseVersion, remove: [held] });
    baseVersion = left.version;
    for (const documentId of [held, copied])
      expect(await moved(documentId, 'dev')).toMatchObject({ status: 409, body: { code: 'dataset.split_conflict' } });
    for (const version of [1, 2])
      expect(JSON.stringify((await read(datasetId, `?version=${version}`)).body)).not.toContain(secret);
  });
});

describe('a document that is deleted', () => {
  test('while a version with its reference is saved leaves no word in it', async () => {
    const [gone, stays] = [await picture(70), await picture(71)];
    const reference = { text: secret };
    const items = [gone, stays].map((documentId) => ({ documentId, split: 'dev', reference }));
    const { datasetId } = await saved({ items });
    const store = app.app.deps.datasets;
    const write = store.save.bind(store);
    const racing = vi.spyOn(store, 'save').mockImplementationOnce(async (dataset, version) => {
      await deletedAt(app, { cookie, documentId: gone });
      return write(dataset, version);
    });
    const second = await saved({ datasetId, baseVersion: 1, name: 'Renamed' });
    expect(racing).toHaveBeenCalledOnce();
    expect(second.version).toBe(2);
    const { datasetVersions } = await storedIn(app);
    for (const { items: json } of datasetVersions.filter((row) => row.datasetId === datasetId))
      expect(JSON.parse(json)).toMatchObject(
        [gone, stays]
          .toSorted()
          .map((documentId) => (documentId === gone ? { documentId, reference: null } : { documentId, reference })),
      );
  });
});
