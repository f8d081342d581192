import { describe, expect } from 'vitest';
import { service } from '#src/contracts/service.ts';
import { newKeySecret } from '#src/domain/access/api-key.ts';
import { issueKey, revokeKey } from '#tools/keys/issue-key.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { tinyPng, type Answer } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const app = await sharedApp();
const { seed, service: client, uploader, addresses } = app;
const { deps } = app.app;
const unknownDocument = '/api/service/documents/doc_0000000000000000000000';
const tiny = { contentType: 'image/png', size: tinyPng.length };

describe('errors', () => {
  verifies('errors.shape', async () => {
    const cases: [Promise<Answer>, Parameters<typeof problemOf>[1]][] = [
      [client.get('/api/nothing'), 'request.not_found'],
      [app.call('DELETE', '/api/service/documents', { key: seed.serviceKey }), 'request.not_found'],
      [app.call('GET', `${addresses.agents}/nothing`), 'request.not_found'],
      [app.call('GET', `${addresses.objects}/nothing`), 'request.not_found'],
      [
        app.call('PUT', `${addresses.objects}/o/uploads/a/b/c/d.png?length=1&expires=1&signature=x`),
        'object.signature_invalid',
      ],
      [app.client().get('/api/service/workflows'), 'auth.unauthorized'],
      [uploader.get('/api/service/workflows'), 'auth.forbidden'],
      [client.get(unknownDocument), 'document.not_found'],
      [client.get('/api/service/documents?limit=0'), 'request.invalid'],
      [client.get('/api/service/documents/%ZZ'), 'request.malformed'],
      [client.get('/api/service/documents?cursor=forged'), 'request.cursor_invalid'],
      [uploader.post('/api/uploads/presign', { ...tiny, size: 1e9 }), 'upload.too_large'],
    ];
    for (const [answer, code] of cases) {
      const problem = problemOf(await answer, code);
      expect(problem.detail.length).toBeGreaterThan(10);
      expect(problem.requestId).not.toBe('');
    }
  });

  verifies('errors.credentials', async () => {
    const { organizationId, projectId } = seed;
    const place = { organizationId, projectId, createdBy: 'test', kind: 'service', name: 'Test' } as const;
    const revoked = await issueKey(deps, place);
    await revokeKey(deps, organizationId, revoked.record._id, 'test');
    const expired = await issueKey(deps, { ...place, expiresAt: new Date(Date.now() - 1) });
    const bodies = new Set<string>();
    for (const key of [undefined, newKeySecret('service'), revoked.secret, expired.secret, 'nonsense']) {
      const answer = await app.client(key).get('/api/service/workflows', { 'x-request-id': 'alike' });
      problemOf(answer, 'auth.unauthorized');
      expect(answer.headers.get('www-authenticate')).toContain('x-api-key');
      bodies.add(JSON.stringify(answer.body));
    }
    expect(bodies.size).toBe(1);
    const valid = await issueKey(deps, { ...place, expiresAt: new Date(Date.now() + 60_000) });
    expect((await app.client(valid.secret).get('/api/service/workflows')).status).toBe(200);
  });

  verifies('errors.unknown_id', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const started = await client.post('/api/service/workflow-executions', {
      workflowId: seed.workflowId,
      documentIds: [(await app.ingest(tinyPng, 'image/png')).id],
    });
    const stranger = app.client((await addNeighbour(app, 'organization')).serviceKey);
    const told = async (path: string, code: Parameters<typeof problemOf>[1]) => {
      const { instance, requestId: _, ...rest } = problemOf(await stranger.get(path), code);
      // The address that was asked for is the only thing that may differ.
      expect(instance).toBe(path);
      return rest;
    };
    const document = await told(`/api/service/documents/${id}`, 'document.not_found');
    expect(await told(unknownDocument, 'document.not_found')).toEqual(document);
    expect(await told('/api/service/documents/x', 'document.not_found')).toEqual(document);
    const execution = await told(started.body.links.self, 'execution.not_found');
    const unknown = '/api/service/workflow-executions/exec_0000000000000000000000';
    expect(await told(unknown, 'execution.not_found')).toEqual(execution);
    await app.app.idle();
  });

  verifies('errors.invalid_body', async () => {
    const presign = await client.post('/api/service/uploads/presign', {
      contentType: 5,
      size: 'x',
      visibility: 'no',
      more: 1,
    });
    expect(pointersOf(problemOf(presign, 'request.invalid')).toSorted()).toEqual([
      '/contentType',
      '/more',
      '/size',
      '/visibility',
    ]);
    const execution = await client.post('/api/service/workflow-executions', {
      workflowId: '',
      documentIds: ['a', 5],
      initialState: [],
    });
    const problem = problemOf(execution, 'request.invalid');
    expect(pointersOf(problem).toSorted()).toEqual(['/documentIds/1', '/initialState', '/workflowId']);
    for (const error of problem.errors ?? []) expect(error.message).not.toBe('');
    for (const body of [[], 'text', 5]) problemOf(await uploader.post('/api/uploads/presign', body), 'request.invalid');
  });

  verifies('errors.malformed_body', async () => {
    for (const raw of ['{', '{"size": 5,}', "{'size': 5}", '\u0000', '{"a":1}{"b":2}']) {
      const answer = await app.call('POST', '/api/uploads/presign', { key: seed.workflowKey, raw });
      problemOf(answer, 'request.malformed');
    }
  });

  verifies('errors.object_missing', async () => {
    const ofUploader = (await uploader.post('/api/uploads/presign', tiny)).body.objectKey;
    const missing = await uploader.post('/api/uploads/ack', { objectKey: ofUploader });
    expect(missing.status).toBe(409);
    expect(problemOf(missing, 'upload.object_missing').detail).toContain('PUT');
    const visible = { ...tiny, visibility: 'private' };
    const { objectKey } = (await client.post('/api/service/uploads/presign', visible)).body;
    const answer = await client.post('/api/service/uploads/ack', { objectKey, idempotencyKey: 'missing' });
    problemOf(answer, 'upload.object_missing');
  });

  verifies('errors.object_mismatch', async () => {
    const declare = async (contentType: string) => {
      const { body } = await uploader.post('/api/uploads/presign', { contentType, size: tinyPng.length });
      await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
      return uploader.post('/api/uploads/ack', { objectKey: body.objectKey });
    };
    const answer = await declare('application/pdf');
    expect(answer.status).toBe(422);
    const problem = problemOf(answer, 'upload.mismatch');
    expect(problem.detail).toContain('contentType was declared as application/pdf, the bytes are image/png');
    expect(pointersOf(problem)).toEqual(['/objectKey']);
    // The object store holds a body to its announced length, so a size that differs is written past it.
    const { body } = await uploader.post('/api/uploads/presign', { ...tiny, size: tinyPng.length + 1 });
    await deps.objects.put(body.objectKey, tinyPng, 'image/png');
    const size = problemOf(await uploader.post('/api/uploads/ack', { objectKey: body.objectKey }), 'upload.mismatch');
    expect(size.detail).toContain(`size was declared as ${tinyPng.length + 1} bytes, ${tinyPng.length} are stored`);
  });

  verifies('errors.request_id', async () => {
    const headers = { 'x-request-id': 'from-the-client.1' };
    const { uploadUrl } = (await uploader.post('/api/uploads/presign', tiny)).body;
    const sends = [
      (more: object) => client.get('/api/service/workflows', { ...more }),
      (more: object) => client.get(unknownDocument, { ...more }),
      (more: object) => app.client().get('/api/service/workflows', { ...more }),
      (more: object) => app.client().get('/api/openapi.json', { ...more }),
      (more: object) => app.call('GET', `${addresses.agents}/health`, { headers: { ...more } }),
      (more: object) => app.call('PUT', uploadUrl, { raw: 'short', headers: { ...more } }),
    ];
    const made = new Set<string | null>();
    for (const send of sends) {
      expect((await send(headers)).headers.get('x-request-id')).toBe('from-the-client.1');
      made.add((await send({})).headers.get('x-request-id'));
      // Characters that could break a log line are replaced.
      made.add((await send({ 'x-request-id': 'a b"c' })).headers.get('x-request-id'));
    }
    expect(made.size).toBe(2 * sends.length);
    for (const id of made) expect(id).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
  });

  verifies('errors.no_internals', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const { documents } = await app.stored();
    // A row that no program of this project writes: reading it throws where nobody expects it.
    await documents.updateOne({ _id: id }, { $set: { createdAt: 'yesterday' as unknown as Date } });
    const answer = await client.get(`/api/service/documents/${id}`);
    expect(answer.status).toBe(500);
    const problem = problemOf(answer, 'service.internal');
    expect(problem.detail).toContain('requestId');
    expect(Object.keys(problem).toSorted()).toEqual([
      'code',
      'detail',
      'instance',
      'requestId',
      'status',
      'title',
      'type',
    ]);
    const text = JSON.stringify(answer.body);
    for (const internal of ['TypeError', 'toISOString', 'at ', '.ts', app.dataDir, 'node_modules', 'yesterday'])
      expect(text).not.toContain(internal);
    replyOf(service.listWorkflows, await client.get('/api/service/workflows'));
  });
});
