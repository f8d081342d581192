import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, describe, expect } from 'vitest';
import { registerFonts } from '#scripts/fixtures/fonts.ts';
import { createTesseractLanguages, modelFile } from '#src/adapters/ocr/tesseract-languages.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { callTool } from '#test/spec/support/call-tool.ts';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { tools } from '#tools/index.ts';

const folder = await temporaryFolder();
afterAll(() => folder.remove());
// The product comes with English only. Copies of its model stand for added languages: which one reads is what is proved here.
const added = join(folder.path, 'languages');
await mkdir(added, { recursive: true });
const bundled = await createTesseractLanguages().folder('eng');
for (const code of ['deu', 'fra']) await copyFile(join(bundled, modelFile('eng')), join(added, modelFile(code)));

const app = await sharedApp({ dataDir: folder.path, env: { OCR_LANGUAGE: 'auto', OCR_WORKERS: '2' } });
const cookie = await app.signIn();

registerFonts();
/** A picture of these lines. */
function drawn(...lines: readonly string[]): Buffer {
  const canvas = createCanvas(900, 60 + lines.length * 44);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#111';
  context.font = '28px fixture-sans';
  for (const [row, line] of lines.entries()) context.fillText(line, 40, 60 + row * 44);
  return canvas.toBuffer('image/png');
}
const letters = {
  german: drawn(
    'Sehr geehrte Frau Keller,',
    'wir danken für die Lieferung der Ware',
    'und bitten um eine Rechnung mit Datum.',
  ),
  english: drawn(
    'Dear Mrs Miller,',
    'we thank you for the delivery of the goods',
    'and ask you to send us an invoice.',
  ),
  numbers: drawn('4711 0815', '12.50'),
};

const reading = (config: Record<string, unknown> = {}) =>
  addWorkflow(
    app,
    graphOf({ load: 'load_image', read: { type: 'ocr', config } }, ['START>load', 'load>read', 'read>END'], {
      state: { document: {}, ocr: {} },
      outputs: { ocr: 'ocr' },
    }),
  );
const workflows = {
  plain: await reading(),
  english: await reading({ language: 'eng' }),
  overriding: await reading({ language: 'fra', overridesDocument: true }),
};

async function presign(key: string, size: number, languages?: unknown) {
  const service = key.startsWith('ink_svc_');
  const body = { contentType: 'image/png', size, languages, ...(service && { visibility: 'private' }) };
  return app.call('POST', `/api/${service ? 'service/' : ''}uploads/presign`, { key, body });
}

async function uploaded(
  bytes: Buffer,
  { key = app.seed.serviceKey, languages }: { key?: string; languages?: string[] },
) {
  const presigned = await presign(key, bytes.length, languages);
  expect(presigned.status).toBe(200);
  await fetch(presigned.body.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  const { objectKey } = presigned.body;
  const service = key.startsWith('ink_svc_');
  const body = service ? { objectKey, idempotencyKey: objectKey.slice(-100) } : { objectKey };
  const acknowledged = await app.call('POST', `/api/${service ? 'service/' : ''}uploads/ack`, { key, body });
  expect(acknowledged.status).toBe(201);
  return acknowledged.body.document as { id: string; languages?: string[] };
}

/** Languages of the results of a document, the newest first. */
async function languagesRead(id: string): Promise<[string, string][]> {
  await app.app.idle();
  const { body } = await app.call('GET', `/api/dashboard/documents/${id}/ocr`, { cookie });
  return body.results.map(({ result }: { result: Record<string, string> }) => [
    result['language'],
    result['languageFrom'],
  ]);
}

async function readBy(workflowId: string, id: string): Promise<[string, string] | undefined> {
  await app.service.post('/api/service/workflow-executions', { workflowId, documentIds: [id] });
  return (await languagesRead(id))[0];
}

describe('languages of a document', () => {
  verifies('ingest.languages', async () => {
    const document = await uploaded(letters.german, { languages: ['deu', 'eng'] });
    expect(document.languages).toEqual(['deu', 'eng']);
    expect(await readBy(workflows.plain, document.id)).toEqual(['deu+eng', 'document']);
    const shown = await app.service.get(`/api/service/documents/${document.id}`);
    expect(shown.body.languages).toEqual(['deu', 'eng']);
    expect((await callTool(app, tools.getDocument, { documentId: document.id })).languages).toEqual(['deu', 'eng']);
    const { projectId } = app.seed;
    const dashboard = (languages: string[]) =>
      app.call('POST', '/api/dashboard/documents/uploads/presign', {
        cookie,
        body: { projectId, contentType: 'image/png', size: 9, languages },
      });
    expect((await dashboard(['deu'])).status).toBe(200);
    expect(pointersOf(problemOf(await dashboard(['pol']), 'request.invalid'))).toEqual(['/languages/0']);
    const card = await app.call('GET', `/api/dashboard/documents/${document.id}`, { cookie });
    expect(card.body.languages).toEqual(['deu', 'eng']);

    for (const key of [app.seed.serviceKey, app.seed.workflowKey]) {
      const missing = problemOf(await presign(key, 9, ['deu', 'pol']), 'request.invalid');
      expect(pointersOf(missing)).toEqual(['/languages/1']);
      expect(missing.detail).toBe(
        'Field /languages/1: "pol" is not installed here. Use deu, eng, fra, or ask the operator to run npm run languages -- add pol.',
      );
      for (const languages of [[], ['de'], ['deu', 'deu'], ['deu', 'eng', 'fra', 'ita', 'spa'], 'deu', ['../eng']])
        expect(pointersOf(problemOf(await presign(key, 9, languages), 'request.invalid'))[0]).toMatch(/^\/languages/);
    }
  });

  verifies('ingest.languages.key', async () => {
    const issue = (body: object) =>
      app.call('POST', '/api/dashboard/keys', { cookie, body: { name: 'Scanner', ...body } });
    const made = await issue({ kind: 'workflow', workflowId: workflows.plain, languages: ['fra'] });
    expect(made).toMatchObject({ status: 201, body: { key: { languages: ['fra'] } } });
    const rotated = await app.call('POST', `/api/dashboard/keys/${made.body.key.id}/rotate`, { cookie, body: {} });
    expect(rotated.body.key.languages).toEqual(['fra']);
    const ofKey = await uploaded(letters.english, { key: rotated.body.secret });
    expect(ofKey.languages).toEqual(['fra']);
    expect(await languagesRead(ofKey.id)).toEqual([['fra', 'document']]);
    const own = await uploaded(letters.german, { key: rotated.body.secret, languages: ['deu'] });
    expect(own.languages).toEqual(['deu']);
    expect(await languagesRead(own.id)).toEqual([['deu', 'document']]);
    const refused = await issue({ kind: 'service', languages: ['pol'] });
    expect(pointersOf(problemOf(refused, 'request.invalid'))).toEqual(['/languages/0']);
    const { body } = await app.call('GET', '/api/dashboard/keys', { cookie });
    const ofRotated = body.keys.find(({ id }: { id: string }) => id === rotated.body.key.id);
    expect(ofRotated.languages).toEqual(['fra']);
  });

  verifies('ocr.languages.order', async () => {
    const { id } = await uploaded(letters.german, { languages: ['deu'] });
    expect(await readBy(workflows.english, id)).toEqual(['deu', 'document']);
    expect(await readBy(workflows.overriding, id)).toEqual(['fra', 'workflow']);
    const unnamed = await uploaded(letters.german, {});
    expect(unnamed).not.toHaveProperty('languages');
    expect(await readBy(workflows.english, unnamed.id)).toEqual(['eng', 'workflow']);
  });

  verifies('ocr.languages.detected', async () => {
    const german = await uploaded(letters.german, {});
    expect(await readBy(workflows.plain, german.id)).toEqual(['deu', 'detected']);
    const english = await uploaded(letters.english, {});
    expect(await readBy(workflows.plain, english.id)).toEqual(['eng', 'detected']);
    const numbers = await uploaded(letters.numbers, {});
    expect((await readBy(workflows.plain, numbers.id))?.[1]).toBe('undecided');
  });

  verifies('service.documents.languages', async () => {
    const { id } = await uploaded(letters.english, { languages: ['eng'] });
    expect(await readBy(workflows.plain, id)).toEqual(['eng', 'document']);
    const patch = (body: unknown) => app.service.ask('PATCH', `/api/service/documents/${id}`, body);
    expect(await patch({ languages: ['deu'] })).toMatchObject({ status: 200, body: { id, languages: ['deu'] } });
    expect(await readBy(workflows.plain, id), 'no kept outcome of the other language').toEqual(['deu', 'document']);
    expect(pointersOf(problemOf(await patch({ languages: ['pol'] }), 'request.invalid'))).toEqual(['/languages/0']);
    const removed = await patch({ languages: [] });
    expect(removed.body).not.toHaveProperty('languages');
    expect(await readBy(workflows.plain, id)).toEqual(['eng', 'detected']);
  });
});
