import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, vi } from 'vitest';
import { service } from '#src/contracts/service.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { seed, service: client, uploader } = app;
const { deps } = app.app;
const { echo } = await probe.publish(app);
const tiny = { contentType: 'image/png', size: tinyPng.length };
const presign = (body: unknown) => uploader.post('/api/uploads/presign', body);
const mebibyte = 1024 * 1024;

/** The tiny PNG with a header that says it is of another size: nothing is decoded before the size is checked. */
function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(tinyPng);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

const ackOf = async (bytes: Buffer) =>
  uploader.post('/api/uploads/ack', { objectKey: await app.put(bytes, 'image/png') });

afterEach(() => void vi.useRealTimers());

describe('uploads', () => {
  verifies('limits.upload_size', async () => {
    const most = 50 * mebibyte;
    expect((await presign({ ...tiny, size: most })).body.maxBytes).toBe(most);
    const refused = await presign({ ...tiny, size: most + 1 });
    expect(refused.status).toBe(413);
    expect(pointersOf(problemOf(refused, 'upload.too_large'))).toEqual(['/size']);
    const ofService = { ...tiny, size: most + 1, visibility: 'private' };
    problemOf(await client.post('/api/service/uploads/presign', ofService), 'upload.too_large');
  });

  verifies('limits.upload_body', async () => {
    const { body } = await presign(tiny);
    for (const bytes of [Buffer.concat([tinyPng, Buffer.from('x')]), tinyPng.subarray(1), Buffer.alloc(2 * mebibyte)]) {
      const refused = await app.call('PUT', body.uploadUrl, { raw: bytes });
      expect(refused.status).toBe(400);
      expect(refused.body.code).toBe('object.length_mismatch');
    }
    const chunked = new ReadableStream({ start: (sink) => (sink.enqueue(new Uint8Array(tinyPng)), sink.close()) });
    const streamed = await fetch(body.uploadUrl, { method: 'PUT', body: chunked, duplex: 'half' });
    expect(streamed.status).toBe(411);
    expect(await deps.objects.head(body.objectKey)).toBeNull();
    const acked = await uploader.post('/api/uploads/ack', { objectKey: body.objectKey });
    problemOf(acked, 'upload.object_missing');
    expect((await app.call('PUT', body.uploadUrl, { raw: tinyPng })).status).toBe(200);
  });

  verifies('limits.presign_lifetime', async () => {
    const [early, late] = [(await presign(tiny)).body, (await presign(tiny)).body];
    const expiry = Date.parse(late.expiresAt);
    vi.setSystemTime(Date.parse(early.expiresAt) - 1_000);
    expect((await app.call('PUT', early.uploadUrl, { raw: tinyPng })).status).toBe(200);
    vi.setSystemTime(expiry + 1_000);
    const refused = await app.call('PUT', late.uploadUrl, { raw: tinyPng });
    problemOf(refused, 'object.expired');
    expect(await deps.objects.head(late.objectKey)).toBeNull();
    // Prolonging it by hand is no way out.
    const url = new URL(late.uploadUrl);
    url.searchParams.set('expires', String(expiry + 3_600_000));
    problemOf(await app.call('PUT', url.href, { raw: tinyPng }), 'object.signature_invalid');
    // An upload that arrived in time is acknowledged after its address expired.
    expect((await uploader.post('/api/uploads/ack', { objectKey: early.objectKey })).status).toBe(201);
    vi.useRealTimers();
    await app.app.idle();
  });

  verifies('limits.content_types', async () => {
    for (const contentType of [
      'image/svg+xml',
      'image/bmp',
      'text/plain',
      'application/zip',
      'image',
      'image/png; x=1',
    ]) {
      const refused = await presign({ ...tiny, contentType });
      expect(refused.status).toBe(415);
      const problem = problemOf(refused, 'upload.content_type');
      expect(problem.detail).toContain(
        'image/png, image/jpeg, image/webp, image/avif, image/heic, image/heif, image/tiff, image/gif, application/pdf',
      );
    }
    const ofService = { ...tiny, contentType: 'image/svg+xml', visibility: 'private' };
    problemOf(await client.post('/api/service/uploads/presign', ofService), 'upload.content_type');
  });

  verifies('limits.pixels', async () => {
    const refused = await ackOf(pngOf(10_000, 5_001));
    expect(refused.status).toBe(422);
    problemOf(refused, 'image.too_large');
    const { body } = await client.get('/api/service/documents?limit=100');
    expect(body.documents.filter((document: { width: number }) => document.width === 10_000)).toEqual([]);
    const objectKey = await app.put(pngOf(10_000, 5_000), 'image/png', seed.serviceKey);
    const accepted = await client.post('/api/service/uploads/ack', { objectKey, idempotencyKey: 'pixels' });
    expect(accepted.body.document).toMatchObject({ width: 10_000, height: 5_000 });
  });
});

describe('requests', () => {
  verifies('limits.json_body', async () => {
    const filled = (bytes: number): string => {
      const shell = JSON.stringify({ ...tiny, more: '' });
      return JSON.stringify({ ...tiny, more: 'x'.repeat(bytes - shell.length) });
    };
    const send = (raw: string) => app.call('POST', '/api/uploads/presign', { key: seed.workflowKey, raw });
    const refused = await send(filled(mebibyte + 1));
    expect(refused.status).toBe(413);
    problemOf(refused, 'request.too_large');
    // A body of just this size is read: what is wrong with it is its unknown field.
    expect(pointersOf(problemOf(await send(filled(mebibyte)), 'request.invalid'))).toEqual(['/more']);
  });

  verifies('limits.page_size', async () => {
    for (let count = 0; count < 26; count += 1) await app.store(tinyPng, 'image/png');
    const length = async (query: string) => {
      const answer = await client.get(`/api/service/documents${query}`);
      return replyOf(service.listDocuments, answer).documents.length;
    };
    expect(await length('')).toBe(25);
    expect(await length('?limit=1')).toBe(1);
    expect(await length('?limit=100')).toBeGreaterThan(25);
    expect(await length('?limit=1000000')).toBe(await length('?limit=100'));
    for (const limit of [0, -1, 1.5]) {
      const refused = await client.get(`/api/service/documents?limit=${limit}`);
      expect(refused.status).toBe(400);
      expect(pointersOf(problemOf(refused, 'request.invalid'))).toEqual(['/limit']);
    }
  });

  verifies('limits.document_ids', async () => {
    const ids = Array.from({ length: 501 }, (_, index) => `doc_${String(index).padStart(22, '0')}`);
    const execute = (documentIds: string[]) =>
      client.post('/api/service/workflow-executions', { workflowId: echo, documentIds });
    const change = (documentIds: string[]) =>
      client.post('/api/service/documents/visibility', { documentIds, visibility: 'public' });
    for (const send of [execute, change]) {
      const refused = await send(ids);
      expect(refused.status).toBe(400);
      expect(pointersOf(problemOf(refused, 'request.invalid'))).toEqual(['/documentIds']);
      // 500 are looked for.
      problemOf(await send(ids.slice(1)), 'document.not_found');
    }
  });

  verifies('limits.initial_state', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const execute = (initialState: string) =>
      app.call('POST', '/api/service/workflow-executions', {
        key: seed.serviceKey,
        raw: `{"workflowId":"${echo}","documentIds":["${id}"],"initialState":${initialState}}`,
      });
    const nested = (depth: number): string => `${'{"note":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const sized = (bytes: number): string => JSON.stringify({ note: 'x'.repeat(bytes - '{"note":""}'.length) });
    const forbidden = ['__proto__', 'constructor', 'prototype', '$where', '$set'];
    const refused = [
      sized(64 * 1024 + 1),
      nested(33),
      ...forbidden.flatMap((key) => [`{"${key}":{}}`, `{"note":{"deep":[{"${key}":1}]}}`]),
    ];
    for (const initialState of refused) {
      const answer = await execute(initialState);
      expect(answer.status).toBe(400);
      expect(pointersOf(problemOf(answer, 'request.invalid'))).toEqual(['/initialState']);
    }
    for (const initialState of [sized(64 * 1024), nested(32)]) expect((await execute(initialState)).status).toBe(202);
    expect(({} as { deep?: unknown }).deep).toBeUndefined();
    await app.app.idle();
  });

  verifies('limits.rate', async () => {
    await using limited = await startTestApp({ env: { SERVICES: 'api', RATE_LIMITS: 'on' } });
    const ask = () => limited.call('GET', '/api/service/workflows', { key: limited.seed.serviceKey });
    const first = await ask();
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([200, '"default";q=100;w=2']);
    const answers = await Promise.all(Array.from({ length: 400 }, ask));
    const refused = answers.filter((answer) => answer.status !== 200);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(99);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      problemOf(answer, 'request.rate_limited');
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    // Another key has a rate of its own.
    const other = await limited.call('POST', '/api/uploads/presign', { key: limited.seed.workflowKey, body: tiny });
    expect(other.status).toBe(200);
    const body = { workflowId: limited.seed.workflowId, documentIds: ['doc_0000000000000000000000'] };
    const execute = () =>
      limited.call('POST', '/api/service/workflow-executions', { key: limited.seed.serviceKey, body });
    const expensive = await Promise.all(Array.from({ length: 90 }, execute));
    expect(expensive.filter((answer) => answer.status === 429).length).toBeGreaterThan(0);
  });
});
