import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
let documentId: string;
beforeAll(async () => {
  app = await startTestApp();
  cookie = await app.signIn();
  ({ id: documentId } = await app.store(tinyPng, 'image/png'));
});
afterAll(() => app[Symbol.asyncDispose]());

const save = (source: object) =>
  app.call('POST', '/api/dashboard/datasets', { cookie, body: { name: 'From a source', source } });

async function references(source: object): Promise<string> {
  const saved = await save({ ...source });
  expect(saved.status, JSON.stringify(saved.body)).toBe(201);
  const { body } = await app.call('GET', `/api/dashboard/datasets/${saved.body.datasetId}`, { cookie });
  return body.items[0].referenceText;
}

test('a table gives texts, labels, tags, splits and fields as they are written', async () => {
  const text = `\uFEFFdocumentId,text,label,split,tags,fields.total,fields.iban,fields.paid\n${documentId},"two\nlines",invoice,dev,a;b,29.41,00123,true\n`;
  expect(JSON.parse(await references({ type: 'csv', text }))).toEqual({
    text: 'two\nlines',
    label: 'invoice',
    fields: { total: 29.41, iban: '00123', paid: true },
  });
});

test('lines of JSON give items', async () => {
  const text = `\uFEFF${JSON.stringify({ documentId, split: 'dev', reference: { label: 'letter' } })}\n\n`;
  expect(JSON.parse(await references({ type: 'jsonl', text }))).toEqual({ label: 'letter' });
});

test('an error names the line on which the bad item ends', async () => {
  for (const [source, line] of [
    [{ type: 'csv', text: `documentId,text\n${documentId},"one\ntwo"\n\n,bad\n` }, 5],
    [{ type: 'jsonl', text: `{"documentId":"${documentId}"}\n\n{"documentId":\n` }, 3],
    [{ type: 'jsonl', text: `{"documentId":"${documentId}","split":"test"}` }, 1],
  ] as const) {
    const { status, body } = await save(source);
    expect(status).toBe(400);
    expect(body.detail).toContain(`line ${line} `);
  }
  expect(await save({ type: 'csv', text: '"' })).toMatchObject({ status: 400 });
});

test('a document that the caller cannot read saves nothing', async () => {
  const text = JSON.stringify({ documentId: 'doc_of_somebody_else' });
  expect(await save({ type: 'jsonl', text })).toMatchObject({ status: 404, body: { code: 'document.not_found' } });
});
