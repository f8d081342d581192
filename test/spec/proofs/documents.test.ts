import { beforeAll, describe, expect } from 'vitest';
import { service } from '#src/contracts/service.ts';
import { hashKey } from '#src/domain/access/api-key.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { sha256 } from '#test/support/object-bytes.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp, type Client } from '#test/spec/support/shared-app.ts';
import { fixture, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

/** Documents, workflows and uploads of the service API. */
const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { seed, service: client } = app;
const { deps } = app.app;
const { organizationId, projectId } = seed;

const path = '/api/service/documents';
const tiny = { contentType: 'image/png', size: tinyPng.length, visibility: 'private' } as const;
const presign = (body: unknown) => client.post('/api/service/uploads/presign', body);
const ack = (body: unknown) => client.post('/api/service/uploads/ack', body);
const putTiny = () => app.put(tinyPng, 'image/png', seed.serviceKey);
const visibility = (documentIds: unknown, to: unknown) =>
  client.post(`${path}/visibility`, { documentIds, visibility: to });
const list = async (query = '', by: Client = client) =>
  replyOf(service.listDocuments, await by.get(`${path}?${query}`));
const idsOf = ({ documents }: { documents: readonly { id: string }[] }): string[] => documents.map(({ id }) => id);
const newDocument = async (): Promise<string> => (await app.store(tinyPng, 'image/png')).id;

describe('workflows', () => {
  verifies('service.workflows', async () => {
    const names = async () => {
      const { workflows } = replyOf(service.listWorkflows, await client.get('/api/service/workflows'));
      return workflows.map((workflow) => workflow.name);
    };
    const seeded = ['Document intake', 'Invoice extraction', 'Receipt extraction', 'Triage'];
    expect(await names()).toEqual(seeded);
    await probe.publish(app);
    expect(await names()).toEqual([...seeded, 'echo', 'failing', 'gated', 'slow']);
  });

  verifies('service.workflows.reply', async () => {
    const neighbour = await addNeighbour(app, 'project');
    const answer = await app.client(neighbour.serviceKey).get('/api/service/workflows');
    expect(Object.keys(replyOf(service.listWorkflows, answer))).toEqual(['workflows']);
    expect(answer.body.workflows).toMatchObject([{ workflowId: neighbour.workflowId, publishedVersion: 1 }]);
    const { workflows } = await app.stored();
    await workflows.updateOne({ _id: neighbour.workflowId }, { $set: { publishedVersion: null } });
    expect((await app.client(neighbour.serviceKey).get('/api/service/workflows')).body).toEqual({ workflows: [] });
  });
});

describe('uploads', () => {
  verifies('service.presign', async () => {
    const { uploadUrl, objectKey } = replyOf(service.presign, await presign(tiny));
    const stored = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    expect(stored.status).toBe(200);
    expect(await deps.objects.get(objectKey)).toEqual(tinyPng);
  });

  verifies('service.presign.content_type', async () => {
    for (const contentType of [undefined, null, 7, ['image/png']])
      expect(pointersOf(problemOf(await presign({ ...tiny, contentType }), 'request.invalid'))).toEqual([
        '/contentType',
      ]);
    replyOf(service.presign, await presign({ ...tiny, contentType: 'image/webp' }));
  });

  verifies('service.presign.size', async () => {
    for (const size of [undefined, null, '5', 1.5, 0])
      expect(pointersOf(problemOf(await presign({ ...tiny, size }), 'request.invalid'))).toEqual(['/size']);
    expect(replyOf(service.presign, await presign({ ...tiny, size: 5 })).maxBytes).toBe(5);
  });

  verifies('service.presign.visibility', async () => {
    for (const value of [undefined, 'hidden', null, true])
      expect(pointersOf(problemOf(await presign({ ...tiny, visibility: value }), 'request.invalid'))).toEqual([
        '/visibility',
      ]);
    for (const value of ['private', 'public']) replyOf(service.presign, await presign({ ...tiny, visibility: value }));
  });

  verifies('service.presign.reply', async () => {
    const { contentType, size } = tiny;
    const ofUploader = (await app.uploader.post('/api/uploads/presign', { contentType, size })).body;
    const reply = replyOf(service.presign, await presign(tiny));
    expect(Object.keys(reply)).toEqual(Object.keys(ofUploader));
    expect(reply).toMatchObject({ method: 'PUT', headers: {}, maxBytes: size });
  });

  verifies('service.ack', async () => {
    const objectKey = await putTiny();
    const { document } = replyOf(service.ack, await ack({ objectKey, idempotencyKey: 'ack' }));
    expect(document).toMatchObject({ objectKey, sha256: sha256(tinyPng) });
    const read = replyOf(service.getDocument, await client.get(`${path}/${document.id}`));
    expect(read).toEqual({ ...document, lastRun: null });
  });

  verifies('service.ack.object_key', async () => {
    const key = await deps.apiKeys.findByHash(hashKey(seed.serviceKey));
    const folder = ['uploads', organizationId, projectId, 'service-api', key?._id].join('/');
    const { objectKey } = (await presign(tiny)).body;
    expect(objectKey).toMatch(new RegExp(`^${folder}/[0-9A-Za-z]{22}\\.png$`));
  });

  verifies('service.ack.idempotency_key', async () => {
    const objectKey = await putTiny();
    for (const idempotencyKey of [undefined, null, 5, '', 'x'.repeat(256)]) {
      const problem = problemOf(await ack({ objectKey, idempotencyKey }), 'request.invalid');
      expect(pointersOf(problem)).toEqual(['/idempotencyKey']);
    }
    expect((await ack({ objectKey, idempotencyKey: 'x'.repeat(255) })).status).toBe(201);
  });

  verifies('service.ack.no_visibility', async () => {
    const objectKey = await putTiny();
    const body = { objectKey, idempotencyKey: 'no visibility' };
    expect(pointersOf(problemOf(await ack({ ...body, visibility: 'public' }), 'request.invalid'))).toEqual([
      '/visibility',
    ]);
    expect(replyOf(service.ack, await ack(body)).document.visibility).toBe('private');
  });

  verifies('service.ack.reply', async () => {
    const objectKey = await putTiny();
    const answer = await ack({ objectKey, idempotencyKey: 'reply' });
    expect(answer.status).toBe(201);
    expect(Object.keys(replyOf(service.ack, answer))).toEqual(['document']);
    const again = await ack({ objectKey, idempotencyKey: 'another' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(answer.body);
  });
});

describe('lists of documents', () => {
  const mine = { ids: [] as string[] };

  beforeAll(async () => {
    for (let count = 0; count < 5; count += 1) mine.ids.unshift(await newDocument());
  });

  verifies('service.documents.list', async () => {
    expect(idsOf(await list())).toEqual(expect.arrayContaining(mine.ids));
  });

  verifies('service.documents.reply', async () => {
    const reply = await list();
    expect(Object.keys(reply)).toEqual(['documents', 'nextCursor']);
    expect(idsOf(reply).slice(0, 5)).toEqual(mine.ids);
    const times = reply.documents.map((document) => document.createdAt);
    expect(times.toSorted().toReversed()).toEqual(times);
    expect(reply.nextCursor).toBeNull();
  });

  verifies('service.documents.limit', async () => {
    for (const limit of [1, 2, 5]) expect(idsOf(await list(`limit=${limit}`))).toEqual(mine.ids.slice(0, limit));
    for (const limit of ['two', '1.5', '0x2', '']) {
      const problem = problemOf(await client.get(`${path}?limit=${limit}`), 'request.invalid');
      expect(pointersOf(problem)).toEqual(['/limit']);
    }
  });

  verifies('service.documents.cursor', async () => {
    const all = idsOf(await list('limit=100'));
    const paged: string[] = [];
    const late: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...idsOf(page));
      cursor = page.nextCursor;
      // A document that arrives while a client pages neither repeats nor hides another.
      if (late.length === 0) late.push(await newDocument());
    }
    expect(paged).toEqual(all);
    for (const forged of ['x', `${Buffer.from('1.doc_1').toString('base64url')}.${'A'.repeat(22)}`])
      problemOf(await client.get(`${path}?cursor=${forged}`), 'request.cursor_invalid');
    const { nextCursor } = await list('limit=1');
    const ofOther = await client.get(`${path}?cursor=${nextCursor}&apiKeyBound=true`);
    problemOf(ofOther, 'request.cursor_invalid');
  });

  verifies('service.documents.key_bound', async () => {
    const place = { organizationId, projectId, createdBy: 'test', kind: 'service' } as const;
    const other = app.client((await issueKey(deps, { ...place, name: 'Other' })).secret);
    const bound = await list('apiKeyBound=true&limit=100');
    expect(idsOf(bound)).toEqual(expect.arrayContaining(mine.ids));
    expect(idsOf(await list('apiKeyBound=true', other))).toEqual([]);
    expect(idsOf(await list('apiKeyBound=false&limit=100', other))).toEqual(idsOf(bound));
    problemOf(await client.get(`${path}?apiKeyBound=yes`), 'request.invalid');
  });

  verifies('service.documents.project', async () => {
    const ofUploader = (await app.ingest(tinyPng, 'image/png')).id;
    const neighbour = app.client((await addNeighbour(app, 'project')).serviceKey);
    const all = idsOf(await list('limit=100'));
    expect(all).toEqual(expect.arrayContaining([...mine.ids, ofUploader]));
    expect(idsOf(await list('apiKeyBound=true&limit=100'))).not.toContain(ofUploader);
    expect(idsOf(await list('limit=100', neighbour))).toEqual([]);
  });
});

describe('one document', () => {
  verifies('service.documents.get', async () => {
    const [one, other] = [await newDocument(), await newDocument()];
    for (const id of [one, other]) expect((await client.get(`${path}/${id}`)).body.id).toBe(id);
    problemOf(await client.get(`${path}/doc_0000000000000000000000`), 'document.not_found');
  });

  verifies('service.documents.get_reply', async () => {
    const note = await fixture('note.gif');
    const { id } = await app.ingest(note, 'image/gif');
    await app.app.idle();
    const document = replyOf(service.getDocument, await client.get(`${path}/${id}`));
    expect(document).toMatchObject({ id, sha256: sha256(note), width: 667, height: 467, pages: 1 });
    const { ocr } = document;
    expect(Object.keys(ocr ?? {}).toSorted()).toEqual([
      'avgConfidence',
      'characters',
      'modelLabel',
      'ocrCreatedAt',
      'ocrResultId',
      'warnings',
    ]);
    const { ocrResults } = await app.stored();
    expect(ocr?.ocrResultId).toBe((await ocrResults.findOne({ documentId: id }))?._id);
  });
});

describe('visibility', () => {
  const visibilityOf = async (id: string) => (await client.get(`${path}/${id}`)).body.visibility;

  verifies('service.visibility', async () => {
    const documentIds = [await newDocument(), await newDocument()];
    for (const to of ['public', 'private'] as const) {
      const reply = replyOf(service.setVisibility, await visibility(documentIds, to));
      expect(reply).toEqual({ documents: documentIds.map((id) => ({ id, visibility: to })) });
      for (const id of documentIds) expect(await visibilityOf(id)).toBe(to);
    }
  });

  verifies('service.visibility.document_ids', async () => {
    const id = await newDocument();
    for (const documentIds of [undefined, id, [], { 0: id }])
      expect(pointersOf(problemOf(await visibility(documentIds, 'public'), 'request.invalid'))).toEqual([
        '/documentIds',
      ]);
    expect(pointersOf(problemOf(await visibility([id, 5], 'public'), 'request.invalid'))).toEqual(['/documentIds/1']);
    expect(await visibilityOf(id)).toBe('private');
  });

  verifies('service.visibility.value', async () => {
    const id = await newDocument();
    for (const to of [undefined, 'secret', 'Public', 1])
      expect(pointersOf(problemOf(await visibility([id], to), 'request.invalid'))).toEqual(['/visibility']);
    for (const to of ['public', 'private']) expect((await visibility([id], to)).status).toBe(200);
  });

  verifies('service.visibility.all_or_none', async () => {
    const id = await newDocument();
    const neighbour = await addNeighbour(app, 'project');
    const foreign = await app.put(tinyPng, 'image/png', neighbour.serviceKey);
    const theirs = app.client(neighbour.serviceKey);
    const acked = await theirs.post('/api/service/uploads/ack', { objectKey: foreign, idempotencyKey: 'foreign' });
    // Readable is not enough: only its own project changes a document.
    await theirs.post(`${path}/visibility`, { documentIds: [acked.body.document.id], visibility: 'public' });
    expect(await visibilityOf(acked.body.document.id)).toBe('public');
    for (const other of ['doc_0000000000000000000000', acked.body.document.id]) {
      problemOf(await visibility([id, other], 'public'), 'document.not_found');
      expect(await visibilityOf(id)).toBe('private');
    }
  });

  verifies('service.visibility.public', async () => {
    const id = await newDocument();
    const neighbours = {
      project: app.client((await addNeighbour(app, 'project')).serviceKey),
      organization: app.client((await addNeighbour(app, 'organization')).serviceKey),
    };
    const reads = async () => ({
      own: (await client.get(`${path}/${id}`)).status,
      project: (await neighbours.project.get(`${path}/${id}`)).status,
      organization: (await neighbours.organization.get(`${path}/${id}`)).status,
      anyone: (await app.client().get(`${path}/${id}`)).status,
    });
    expect(await reads()).toEqual({ own: 200, project: 404, organization: 404, anyone: 401 });
    await visibility([id], 'public');
    expect(await reads()).toEqual({ own: 200, project: 200, organization: 404, anyone: 401 });
    await visibility([id], 'private');
    expect(await reads()).toEqual({ own: 200, project: 404, organization: 404, anyone: 401 });
  });
});
