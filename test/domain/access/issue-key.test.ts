import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKeyStore } from '#src/stores/api-keys.ts';
import { createAuditLog } from '#src/stores/audit-log.ts';
import { createWorkflowStore } from '#src/stores/workflows.ts';
import { addCodeWorkflow } from '#app/agents/publish-code-workflows.ts';
import { hashKey, keyIsLive } from '#src/domain/access/api-key.ts';
import { issueKey, revokeKey, rotateKey, type KeyParts } from '#tools/keys/issue-key.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { errorCodeOf } from '#test/support/objects.ts';
import { freshTenant } from '#test/support/records.ts';

let database: TestDatabase;
let parts: KeyParts;
let place: { organizationId: string; projectId: string; name: string; createdBy: string };
let workflowId: string;
beforeAll(async () => {
  database = await testDatabase();
  const workflows = createWorkflowStore(database.collections);
  parts = { apiKeys: createApiKeyStore(database.collections), workflows, audit: createAuditLog(database.collections) };
  const { organizationId, projectIds } = freshTenant();
  place = { organizationId, projectId: projectIds[0], name: 'Key', createdBy: 'test' };
  workflowId = (await addCodeWorkflow({ workflows }, documentIntake, place))._id;
});
afterAll(() => database.close());

const actionsOn = async (target: string): Promise<string[]> =>
  (await database.collections.audit.find({ target }).sort({ at: 1 }).toArray()).map((row) => row.action);

describe('Issuing keys', () => {
  test('the record is found by the hash of the secret, and says nothing of it but its first characters', async () => {
    const { record, secret } = await issueKey(parts, { ...place, kind: 'service' });
    const found = await parts.apiKeys.findByHash(hashKey(secret));
    expect(found).toEqual(record);
    expect(secret.startsWith(record.prefix)).toBe(true);
    expect(record.prefix.length).toBeLessThanOrEqual(12);
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(await actionsOn(record._id)).toEqual(['key.issue']);
  });

  test('a workflow key needs a workflow of its own project; a service key takes none', async () => {
    const elsewhere = freshTenant();
    const cases = [
      [{ ...place, kind: 'workflow' }, 'request.invalid'],
      [{ ...place, kind: 'workflow', workflowId: 'wf_unknown' }, 'workflow.not_found'],
      [{ ...place, kind: 'workflow', workflowId, projectId: elsewhere.projectIds[0] }, 'workflow.not_found'],
      [{ ...place, kind: 'workflow', workflowId, organizationId: elsewhere.organizationId }, 'workflow.not_found'],
      [{ ...place, kind: 'service', workflowId }, 'request.invalid'],
      [{ ...place, kind: 'workflow', workflowId }, 'none'],
    ] as const;
    for (const [wanted, code] of cases) expect(await errorCodeOf(issueKey(parts, wanted))).toBe(code);
  });

  test('a revoked key is not live, and revoking it again is refused and changes nothing', async () => {
    const { record } = await issueKey(parts, { ...place, kind: 'service' });
    await revokeKey(parts, place.organizationId, record._id, 'test');
    const once = await parts.apiKeys.find(place.organizationId, record._id);
    expect(await errorCodeOf(revokeKey(parts, place.organizationId, record._id, 'test'))).toBe('key.spent');
    const twice = await parts.apiKeys.find(place.organizationId, record._id);
    expect(twice).toEqual(once);
    expect(once !== null && keyIsLive(once, new Date())).toBe(false);
  });

  test.each([1, 720])('a key that is rotated with an overlap of %i hours ends after them', async (overlapHours) => {
    const old = await issueKey(parts, { ...place, kind: 'service' });
    const rotatedAt = Date.now();
    await rotateKey(parts, place.organizationId, old.record._id, { actor: 'test', overlapHours });
    const replaced = await parts.apiKeys.find(place.organizationId, old.record._id);
    if (replaced === null) throw new Error('the key is gone');
    const isLiveAfter = (ms: number): boolean => keyIsLive(replaced, new Date(rotatedAt + ms));
    const overlap = overlapHours * 3_600_000;
    expect([isLiveAfter(overlap - 60_000), isLiveAfter(overlap + 60_000)]).toEqual([true, false]);
  });

  test('a rotated key has one successor of the same kind and binding, and lives for a day more', async () => {
    const expiresAt = new Date(Date.now() + 1_000_000);
    const old = await issueKey(parts, { ...place, kind: 'workflow', workflowId, deviceId: 'scanner', expiresAt });
    const { record } = await rotateKey(parts, place.organizationId, old.record._id, { actor: 'test' });
    expect(record).toMatchObject({ kind: 'workflow', agentGraphId: workflowId, deviceId: 'scanner', expiresAt });
    const replaced = await parts.apiKeys.find(place.organizationId, old.record._id);
    expect(replaced?.replacedBy).toBe(record._id);
    const grace = (replaced?.graceUntil?.getTime() ?? 0) - Date.now();
    expect(grace / 3_600_000).toBeCloseTo(24, 1);
    expect(await errorCodeOf(rotateKey(parts, place.organizationId, old.record._id, { actor: 'test' }))).toBe(
      'key.spent',
    );
  });

  test('of two rotations at once one wins, and no live key is left behind by the other', async () => {
    const old = await issueKey(parts, { ...place, kind: 'service', name: 'Raced' });
    const results = await Promise.allSettled(
      [1, 2].map(() => rotateKey(parts, place.organizationId, old.record._id, { actor: 'test' })),
    );
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    const live = (await parts.apiKeys.list(place.organizationId)).filter(
      (key) => key.name === 'Raced' && key._id !== old.record._id && keyIsLive(key, new Date()),
    );
    expect(live).toHaveLength(1);
  });

  test("another organization's key is not there", async () => {
    const { record } = await issueKey(parts, { ...place, kind: 'service' });
    const { organizationId } = freshTenant();
    expect(await errorCodeOf(revokeKey(parts, organizationId, record._id, 'test'))).toBe('key.not_found');
    expect(await errorCodeOf(rotateKey(parts, organizationId, record._id, { actor: 'test' }))).toBe('key.not_found');
    expect(await parts.apiKeys.findByHash(record.hash)).toMatchObject({ revokedAt: null, replacedBy: null });
  });
});
