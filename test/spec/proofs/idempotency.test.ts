import { describe, expect } from 'vitest';
import { service } from '#src/contracts/service.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { tinyPng, type Answer } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { seed, service: client } = app;
const { organizationId, projectId } = seed;
const { echo, failing } = await probe.publish(app);
const newDocument = async (): Promise<string> => (await app.store(tinyPng, 'image/png')).id;
const [first, second] = [await newDocument(), await newDocument()];
const place = { organizationId, projectId, createdBy: 'test', kind: 'service' } as const;
const other = app.client((await issueKey(app.app.deps, { ...place, name: 'Other' })).secret);

const path = '/api/service/workflow-executions';
const body = (idempotencyKey?: string) => ({ workflowId: echo, documentIds: [first], idempotencyKey });
const replayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
const ack = (objectKey: string, idempotencyKey?: string, headers = {}) =>
  client.post('/api/service/uploads/ack', { objectKey, idempotencyKey }, headers);
const putTiny = () => app.put(tinyPng, 'image/png', seed.serviceKey);

async function executionsCount(): Promise<number> {
  const { executions } = await app.stored();
  return executions.countDocuments({ organizationId });
}

describe('an idempotencyKey', () => {
  verifies('service.idempotency.replay', async () => {
    const answer = await client.post(path, body('replay'));
    const { id } = replyOf(service.execute, answer);
    await app.app.idle();
    const before = await executionsCount();
    const again = await client.post(path, body('replay'));
    expect([again.status, replayed(again), replayed(answer)]).toEqual([202, true, false]);
    expect(again.body).toEqual(answer.body);
    expect(again.headers.get('location')).toBe(answer.headers.get('location'));
    // The order of members and white space are no difference.
    const raw = `{ "idempotencyKey":"replay",\n "documentIds": ["${first}"], "workflowId": "${echo}" }`;
    expect((await app.call('POST', path, { key: seed.serviceKey, raw })).body).toEqual(answer.body);
    expect(await executionsCount()).toBe(before);
    expect((await client.get(`${path}/${id}`)).body.status).toBe('succeeded');
  });

  verifies('service.idempotency.reused', async () => {
    const answer = await client.post(path, body('reused'));
    expect(answer.status).toBe(202);
    const before = await executionsCount();
    const changes = [{ documentIds: [second] }, { workflowId: failing }, { initialState: { note: 1 } }];
    for (const change of changes) {
      const refused = await client.post(path, { ...body('reused'), ...change });
      expect(refused.status).toBe(409);
      expect(pointersOf(problemOf(refused, 'idempotency.key_reused'))).toEqual(['/idempotencyKey']);
    }
    expect(await executionsCount()).toBe(before);
    expect((await client.post(path, body('reused'))).body).toEqual(answer.body);
  });

  verifies('errors.key_reused', async () => {
    expect((await client.post(path, body('conflict'))).status).toBe(202);
    const refused = await client.post(path, { ...body('conflict'), documentIds: [second, first] });
    expect(refused.status).toBe(409);
    expect(problemOf(refused, 'idempotency.key_reused').detail).toContain('Use a new key');
  });

  verifies('service.idempotency.scope_key', async () => {
    const ours = await client.post(path, body('scope'));
    const theirs = await other.post(path, { ...body('scope'), documentIds: [second] });
    expect([ours.status, theirs.status]).toEqual([202, 202]);
    expect(theirs.body.id).not.toBe(ours.body.id);
    expect((await client.post(path, body('scope'))).body).toEqual(ours.body);
    expect((await other.post(path, { ...body('scope'), documentIds: [second] })).body).toEqual(theirs.body);
  });

  verifies('auth.idempotency_scope', async () => {
    const [ours, theirs] = await Promise.all([client.post(path, body('same')), other.post(path, body('same'))]);
    expect([ours.status, theirs.status]).toEqual([202, 202]);
    expect([replayed(ours), replayed(theirs)]).toEqual([false, false]);
    expect(ours.body.id).not.toBe(theirs.body.id);
  });

  verifies('service.idempotency.scope_endpoint', async () => {
    const execution = await client.post(path, body('endpoint'));
    expect(execution.status).toBe(202);
    const objectKey = await putTiny();
    const acked = await ack(objectKey, 'endpoint');
    expect([acked.status, replayed(acked)]).toEqual([201, false]);
    expect((await client.post(path, body('endpoint'))).body).toEqual(execution.body);
    expect((await ack(objectKey, 'endpoint')).body).toEqual(acked.body);
  });

  verifies('service.idempotency.ack', async () => {
    const [objectKey, another] = [await putTiny(), await putTiny()];
    const answer = await ack(objectKey, 'ack');
    replyOf(service.ack, answer);
    const id = answer.body.document.id;
    await client.post('/api/service/documents/visibility', { documentIds: [id], visibility: 'public' });
    const again = await ack(objectKey, 'ack');
    // The original response, not the document as it is now.
    expect([again.status, replayed(again)]).toEqual([201, true]);
    expect(again.body).toEqual(answer.body);
    problemOf(await ack(another, 'ack'), 'idempotency.key_reused');
    const { documents } = await app.stored();
    expect(await documents.countDocuments({ objectKey: another })).toBe(0);
    expect((await ack(another, 'another')).status).toBe(201);
  });

  verifies('service.idempotency.parallel', async () => {
    const before = await executionsCount();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post(path, body('parallel'))));
    await app.app.idle();
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await executionsCount()).toBe(before + 1);
    const { runs } = await app.stored();
    expect(await runs.countDocuments({ executionId: answers[0]?.body.id })).toBe(1);
  });

  verifies('service.idempotency.failures', async () => {
    problemOf(await client.post(path, { ...body('failures'), documentIds: [] }), 'request.invalid');
    const unknown = { ...body('failures'), documentIds: ['doc_0000000000000000000000'] };
    problemOf(await client.post(path, unknown), 'document.not_found');
    problemOf(await client.post(path, { ...body('failures'), workflowId: 'wf_0' }), 'workflow.not_found');
    const answer = await client.post(path, body('failures'));
    expect([answer.status, replayed(answer)]).toEqual([202, false]);
  });

  verifies('service.idempotency.header', async () => {
    const headers = { 'idempotency-key': 'header' };
    const answer = await client.post(path, body(), headers);
    expect([answer.status, replayed(answer)]).toEqual([202, false]);
    const asField = await client.post(path, body('header'));
    expect([asField.status, replayed(asField)]).toEqual([202, true]);
    expect(asField.body).toEqual(answer.body);
    const both = await client.post(path, body('header'), headers);
    expect(both.body).toEqual(answer.body);
    const different = problemOf(await client.post(path, body('field'), headers), 'request.invalid');
    expect(pointersOf(different)).toEqual(['/idempotencyKey']);
    expect((await ack(await putTiny(), undefined, { 'idempotency-key': 'ack header' })).status).toBe(201);
  });
});
