import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantedScopes, kindScopes } from '#src/contracts/scopes.ts';
import { keys as program } from '#scripts/keys.ts';
import { runCommand, spawnCommand } from '#test/support/command.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

/** The service runs: commands work through its engine, and what they do counts at once. */
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
});
afterAll(() => app[Symbol.asyncDispose]());

const keys = (...args: string[]) => runCommand(program, args, { env: { DATA_DIR: app.dataDir } });

async function made(...args: string[]) {
  const { code, out, err } = await keys(...args, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

const works = async (key: string): Promise<number> => (await app.call('GET', '/api/service/workflows', { key })).status;

describe('npm run keys', () => {
  test('a created key works at once, is shown once, and only its hash is stored', async () => {
    const key = await made('create', '--kind', 'service', '--name', 'Partner', '--days', '2', '--rate', '200');
    expect(key).toMatchObject({ kind: 'service', name: 'Partner', state: 'live', ratePerSecond: 200 });
    expect(await works(key.secret)).toBe(200);
    const days = (new Date(key.expiresAt).getTime() - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(2, 1);
    const listed = await keys('list');
    expect(listed.out).toContain(key.id);
    expect(listed.out).not.toContain(key.secret);
    const stored = await collectionsIn(app.dataDir);
    const [rows, audit] = [
      await stored.apiKeys.find({}).toArray(),
      await stored.audit.find({ target: key.id }).toArray(),
    ];
    await stored.close();
    expect(JSON.stringify([rows, audit])).not.toContain(key.secret);
    expect(listed.out).not.toContain(rows.find((row) => row._id === key.id)?.hash);
    expect(audit).toMatchObject([{ actor: 'cli', action: 'key.issue' }]);
  });

  test('a rotated key goes on beside the new one, a revoked one ends at once', async () => {
    const old = await made('create', '--kind', 'service', '--name', 'Old');
    const fresh = await made('rotate', old.id);
    expect(fresh.secret).not.toBe(old.secret);
    expect([await works(old.secret), await works(fresh.secret)]).toEqual([200, 200]);
    expect((await keys('revoke', old.id)).code).toBe(0);
    expect([await works(old.secret), await works(fresh.secret)]).toEqual([401, 200]);
    const key = await made('create', '--kind', 'workflow', '--device', 'scanner-7');
    expect(key).toMatchObject({ agentGraphId: app.seed.workflowId, deviceId: 'scanner-7' });
    expect(key.secret).toMatch(/^ink_wf_/);
    const bySlug = await made('create', '--kind', 'workflow', '--workflow', 'wf_document_intake');
    expect(bySlug.agentGraphId).toBe(app.seed.workflowId);
  });

  test('a key is given scopes in place of those of its kind, and keeps them when rotated', async () => {
    const call = (secret: string) => app.call('POST', '/api/dashboard/workflows', { key: secret, body: {} });
    const plain = await made('create', '--kind', 'service');
    expect(new Set(plain.scopes)).toEqual(grantedScopes(kindScopes.service));
    expect((await call(plain.secret)).body).toMatchObject({ code: 'auth.forbidden' });
    const key = await made('create', '--kind', 'service', '--scopes', 'workflows:write');
    expect(key.scopes).toEqual(['workflows:read', 'workflows:write']);
    expect((await call(key.secret)).status).toBe(201);
    const run = (secret: string) => app.call('GET', '/api/service/runs', { key: secret });
    expect([(await run(plain.secret)).status, (await run(key.secret)).status]).toEqual([200, 403]);
    const fresh = await made('rotate', key.id);
    expect((await call(fresh.secret)).status).toBe(201);
    expect((await run(fresh.secret)).status).toBe(403);
    expect((await made('create', '--kind', 'service', '--scopes', 'all')).scopes).toContain('workflows:publish');
  });

  test('a preset gives a key the scopes of its name', async () => {
    const reader = await made('create', '--kind', 'service', '--preset', 'read-only');
    expect(reader.scopes).toEqual(['workflows:read', 'runs:read', 'documents:read']);
    const uploader = await made('create', '--kind', 'service', '--preset', 'upload-only');
    expect(uploader.scopes).toEqual(['uploads:write']);
    expect([await works(reader.secret), await works(uploader.secret)]).toEqual([200, 403]);
  });

  test('as a process of its own it works through the engine of the service, and ends with 1 and one line when it cannot', async () => {
    const issued = await spawnCommand('scripts/keys.ts', ['create', '--kind', 'service', '--json'], app.dataDir);
    expect(issued).toMatchObject({ code: 0, err: '' });
    expect(await works(JSON.parse(issued.out).secret)).toBe(200);
    const refused = await spawnCommand('scripts/keys.ts', ['revoke', 'key_unknown'], app.dataDir);
    expect(refused).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^[^\n]*no API key with this id[^\n]*\n$/),
    });
  });

  test.each([
    [['create', '--kind', 'admin'], '--kind must be workflow or service'],
    [['create', '--kind', 'service', '--days', '0'], '--days must be a whole number'],
    [['revoke', 'key_unknown'], 'no API key with this id'],
    [['shred'], 'Usage:'],
    [['create', '--kind', 'service', '--dayz', '2'], "Unknown option '--dayz'"],
    [['create', '--kind', 'service', '--days'], '--days'],
    [['create', '--kind', 'service', 'service'], 'Usage:'],
    [['create', '--kind', 'service', '--scopes', 'workflows:write,everything'], '--scopes must be all, or some of'],
    [['create', '--kind', 'workflow', '--scopes', 'all'], 'Leave scopes out'],
    [
      ['create', '--kind', 'workflow', '--preset', 'read-only'],
      'cannot have workflows:read, runs:read, documents:read',
    ],
    [['create', '--kind', 'service', '--preset', 'all'], '--preset must be read-only or upload-only'],
    [['create', '--kind', 'service', '--preset', 'read-only', '--scopes', 'all'], 'exclude each other'],
  ])('%j ends with 1 and says why, without a stack', async (args, reason) => {
    const { code, out, err } = await keys(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(reason);
    expect(err).not.toMatch(/\n\s+at /);
  });
});
