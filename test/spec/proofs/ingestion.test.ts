import { request } from 'node:http';
import sharp from 'sharp';
import { describe, expect } from 'vitest';
import { documentTypes } from '#src/contracts/media-types.ts';
import { ingestion } from '#src/contracts/ingestion.ts';
import { hashKey } from '#src/domain/access/api-key.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { sha256 } from '#test/support/object-bytes.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

/** Uploads here are bound to a workflow that ends at once: nothing is recognized. */
const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { organizationId, projectId, serviceKey } = app.seed;
const { deps } = app.app;
const { echo } = await probe.publish(app);
const place = { organizationId, projectId, createdBy: 'test', kind: 'workflow', workflowId: echo } as const;
const { secret } = await issueKey(deps, { ...place, name: 'Probe' });
const uploader = app.client(secret);
const client = app.client(serviceKey);

const presign = (body: unknown) => uploader.post('/api/uploads/presign', body);
const ack = (objectKey: string, key = secret) => app.client(key).post('/api/uploads/ack', { objectKey });
const tiny = { contentType: 'image/png', size: tinyPng.length };
const put = (url: string, bytes: Buffer) => fetch(url, { method: 'PUT', body: new Uint8Array(bytes) });

async function acknowledged() {
  return replyOf(ingestion.ack, await ack(await app.put(tinyPng, 'image/png', secret))).document;
}

async function listed(): Promise<string[]> {
  const { body } = await client.get('/api/service/documents?limit=100');
  return body.documents.map((document: { id: string }) => document.id);
}

/** A PUT with no header beyond Host and Content-Length, as `curl -T` without its extras. */
async function barePut(url: string, bytes: Buffer): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sending = request(url, { method: 'PUT', headers: { 'content-length': bytes.length } }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode));
  });
  sending.once('error', reject).end(bytes);
  return promise;
}

describe('presign', () => {
  verifies('ingest.presign', async () => {
    const { uploadUrl } = replyOf(ingestion.presign, await presign(tiny));
    expect((await put(uploadUrl, tinyPng)).status).toBe(200);
  });

  verifies('ingest.presign.content_type', async () => {
    expect(pointersOf(problemOf(await presign({ size: 5 }), 'request.invalid'))).toEqual(['/contentType']);
    expect(pointersOf(problemOf(await presign({ size: 5, contentType: 7 }), 'request.invalid'))).toEqual([
      '/contentType',
    ]);
    for (const contentType of ['image/svg+xml', 'text/html', 'application/octet-stream']) {
      const problem = problemOf(await presign({ contentType, size: 5 }), 'upload.content_type');
      expect(pointersOf(problem)).toEqual(['/contentType']);
    }
    for (const contentType of documentTypes) replyOf(ingestion.presign, await presign({ contentType, size: 5 }));
  });

  verifies('ingest.presign.size', async () => {
    for (const size of [undefined, 0, -1, 1.5, '5', null])
      expect(pointersOf(problemOf(await presign({ contentType: 'image/png', size }), 'request.invalid'))).toEqual([
        '/size',
      ]);
    replyOf(ingestion.presign, await presign({ contentType: 'image/png', size: 1 }));
  });

  verifies('ingest.presign.reply', async () => {
    const before = Date.now();
    const reply = replyOf(ingestion.presign, await presign(tiny));
    const after = Date.now();
    expect(Object.keys(reply).toSorted()).toEqual([
      'expiresAt',
      'headers',
      'maxBytes',
      'method',
      'objectKey',
      'uploadUrl',
    ]);
    expect(reply).toMatchObject({ method: 'PUT', headers: {}, maxBytes: tinyPng.length });
    const lifetime = Date.parse(reply.expiresAt) - 900_000;
    expect(lifetime).toBeGreaterThanOrEqual(before);
    expect(lifetime).toBeLessThanOrEqual(after);
  });
});

describe('the upload', () => {
  verifies('ingest.put', async () => {
    const note = await fixture('note.gif');
    const { body } = await presign({ contentType: 'image/gif', size: note.length });
    expect(await deps.objects.head(body.objectKey)).toBeNull();
    const answer = await put(body.uploadUrl, note);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, `"${sha256(note)}"`]);
    expect(await deps.objects.get(body.objectKey)).toEqual(note);
  });

  verifies('ingest.put.curl', async () => {
    const { body } = await presign(tiny);
    expect(await barePut(body.uploadUrl, tinyPng)).toBe(200);
    expect((await ack(body.objectKey)).status).toBe(201);
  });
});

describe('ack', () => {
  verifies('ingest.ack', async () => {
    const objectKey = await app.put(tinyPng, 'image/png', secret);
    const { document } = replyOf(ingestion.ack, await ack(objectKey));
    expect(document).toMatchObject({ objectKey, sha256: sha256(tinyPng), width: 1, height: 1 });
    expect(await listed()).toContain(document.id);
  });

  verifies('ingest.ack.object_key', async () => {
    const { body } = await presign(tiny);
    const { _id } = (await deps.apiKeys.findByHash(hashKey(secret))) ?? { _id: '' };
    const now = new Date().toISOString();
    const folder = ['uploads', organizationId, projectId, _id, now.slice(0, 4), now.slice(5, 7)].join('/');
    expect(body.objectKey).toMatch(new RegExp(`^${folder}/[0-9A-Za-z]{22}\\.png$`));
    for (const objectKey of ['documents/a/b/c/d.png', 'uploads/../../etc/passwd', `/${body.objectKey}`, ''])
      expect(pointersOf(problemOf(await ack(objectKey), 'request.invalid'))).toContain('/objectKey');
  });

  verifies('ingest.ack.event', async () => {
    const document = await acknowledged();
    await app.app.idle();
    const { executions } = await app.stored();
    const started = await executions.find({ documentIds: document.id }).toArray();
    expect(started).toMatchObject([{ workflowId: echo, source: 'upload', documentIds: [document.id] }]);
  });

  verifies('ingest.ack.reply', async () => {
    const objectKey = await app.put(tinyPng, 'image/png', secret);
    const first = await ack(objectKey);
    await app.app.idle();
    const second = await ack(objectKey);
    expect([first.status, second.status]).toEqual([201, 200]);
    replyOf(ingestion.ack, first);
    expect(second.body).toEqual(first.body);
  });

  verifies('ingest.ack.once', async () => {
    const objectKey = await app.put(tinyPng, 'image/png', secret);
    const before = await listed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ack(objectKey)));
    await app.app.idle();
    const documents = answers.map((answer) => replyOf(ingestion.ack, answer).document);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    const [document] = documents;
    for (const other of documents) expect(other).toEqual(document);
    expect(await listed()).toEqual([document?.id, ...before]);
    const { executions, runs } = await app.stored();
    const documentId = document?.id ?? '';
    expect(await executions.countDocuments({ documentIds: documentId })).toBe(1);
    expect(await runs.countDocuments({ documentId })).toBe(1);
    const told = (await deps.events.read(organizationId, 0, 10_000)).filter((event) => event.documentId === documentId);
    expect(told.filter((event) => event.type === 'document.created')).toHaveLength(1);
    expect(told.filter((event) => event.type === 'run.created')).toHaveLength(1);
  });

  verifies('ingest.ack.mismatch', async () => {
    const before = await listed();
    const declared = await presign({ contentType: 'image/jpeg', size: tinyPng.length });
    await put(declared.body.uploadUrl, tinyPng);
    const problem = problemOf(await ack(declared.body.objectKey), 'upload.mismatch');
    expect(problem.detail).toContain('image/png');
    const broken = tinyPng.subarray(0, tinyPng.length - 12);
    problemOf(await ack(await app.put(broken, 'image/png', secret)), 'image.undecodable');
    const nothing = await app.put(Buffer.alloc(64, 'x'), 'image/png', secret);
    problemOf(await ack(nothing), 'upload.mismatch');
    const avif = await sharp(tinyPng).avif({ effort: 0 }).toBuffer();
    const cut = avif.subarray(0, avif.length - 4);
    problemOf(await ack(await app.put(cut, 'image/avif', secret)), 'image.undecodable');
    await app.app.idle();
    expect(await listed()).toEqual(before);
  });

  verifies('ingest.ack.pinned', async () => {
    const { body } = await presign(tiny);
    await put(body.uploadUrl, tinyPng);
    const { document } = replyOf(ingestion.ack, await ack(body.objectKey));
    const other = Buffer.from(tinyPng);
    other.writeUInt8(other.readUInt8(45) ^ 0xff, 45);
    const replay = await put(body.uploadUrl, other);
    expect(replay.status).toBeGreaterThanOrEqual(400);
    await app.app.idle();
    const { lastRun, ...read } = (await client.get(`/api/service/documents/${document.id}`)).body;
    expect(read).toEqual(document);
    expect(lastRun).toMatchObject({ status: 'succeeded' });
    const { documents } = await app.stored();
    const stored = await documents.findOne({ _id: document.id });
    expect(await deps.objects.get(stored?.pinnedKey ?? '')).toEqual(tinyPng);
  });

  verifies('ingest.ack.foreign', async () => {
    const objectKey = await app.put(tinyPng, 'image/png', secret);
    const sibling = await issueKey(deps, { ...place, name: 'Sibling' });
    const neighbour = await addNeighbour(app, 'project');
    const stranger = await addNeighbour(app, 'organization');
    for (const key of [sibling.secret, neighbour.workflowKey, stranger.workflowKey])
      problemOf(await ack(objectKey, key), 'upload.not_found');
    const asService = await client.post('/api/service/uploads/ack', { objectKey, idempotencyKey: 'foreign' });
    problemOf(asService, 'upload.not_found');
    // Once it is a document it is none the more theirs.
    replyOf(ingestion.ack, await ack(objectKey));
    problemOf(await ack(objectKey, sibling.secret), 'upload.not_found');
  });
});
