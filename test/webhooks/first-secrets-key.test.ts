import { verifyWebhook } from 'inkgraph/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { doctor } from '#scripts/doctor.ts';
import { secrets } from '#scripts/secrets.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startOutside, type OutsideServer, type ReceivedRequest } from '#test/support/servers/outside-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const base = '/api/service/webhooks';
const heard: ReceivedRequest[] = [];
const known = new Set<string>();
const waiting: ((request: ReceivedRequest) => void)[] = [];
let outside: OutsideServer;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  outside = await startOutside((request, response) => {
    response.statusCode = 204;
    response.end();
    // A delivery may be repeated, such as one that a stop kept from being noted.
    const id = String(request.headers['webhook-id']);
    if (known.has(id)) return;
    known.add(id);
    const next = waiting.shift();
    if (next === undefined) heard.push(request);
    else next(request);
  });
});
afterAll(async () => {
  await outside[Symbol.asyncDispose]();
  await folder.remove();
});

/** The next request that the receiver gets. */
function received(): Promise<ReceivedRequest> {
  const first = heard.shift();
  return first === undefined ? new Promise((resolve) => void waiting.push(resolve)) : Promise.resolve(first);
}

const start = (SECRETS_KEY?: string) =>
  startTestApp({
    env: {
      SERVICES: 'api,agents',
      OUTBOUND_ALLOW: outside.listed,
      RUN_LEASE_MS: '1000',
      ...(SECRETS_KEY !== undefined && { SECRETS_KEY }),
    },
    dataDir: folder.path,
  });
const ask = (app: TestApp, path: string, body: object = {}) =>
  app.call('POST', `${base}${path}`, { key: app.seed.agentKey, body });
/** As docs/guide/webhooks.md verifies a delivery. */
const verifiedBy = ({ headers, body }: ReceivedRequest, secret: string): Promise<boolean> =>
  verifyWebhook(headers, Buffer.from(body), secret).then(
    () => true,
    () => false,
  );
const signaturesOf = ({ headers }: ReceivedRequest): number => String(headers['webhook-signature']).split(' ').length;
const ping = async (app: TestApp, id: string): Promise<ReceivedRequest> => {
  await ask(app, `/${id}/test`);
  return received();
};
const add = async (app: TestApp) =>
  (await ask(app, '', { url: `${outside.url}/hook`, events: ['run.failed'] })).body as {
    webhook: { id: string };
    secret: string;
  };
const commandEnv = () => ({ DATA_DIR: folder.path, SECRETS_KEY: key });
const told = async () => (await runCommand(doctor, [], { env: commandEnv(), input: '' })).out;

/** Callback of an execution of the default workflow. */
async function callback(app: TestApp): Promise<ReceivedRequest> {
  const { id } = await app.store(tinyPng, 'image/png');
  const body = { workflowId: app.seed.workflowId, documentIds: [id], callbackUrl: `${outside.url}/callback` };
  await app.call('POST', '/api/service/workflow-executions', { key: app.seed.serviceKey, body });
  return received();
}

verifies(
  'webhooks.first_key',
  async () => {
    let before: Awaited<ReturnType<typeof add>>;
    let older: Awaited<ReturnType<typeof add>>;
    let ofProject: string;
    {
      await using app = await start();
      [before, older] = [await add(app), await add(app)];
      ofProject = app.app.deps.webhookSecretOf(app.seed.projectId);
      const request = await ping(app, before.webhook.id);
      expect([await verifiedBy(request, before.secret), signaturesOf(request)]).toEqual([true, 1]);
    }
    // A webhook of an earlier version does not say which key made its secret.
    const stored = await collectionsIn(folder.path);
    await stored.webhooks.updateOne({ _id: older.webhook.id }, { $unset: { keyId: 1 } });
    await stored.close();

    await using app = await start(key);
    for (const { webhook, secret } of [before, older]) {
      const request = await ping(app, webhook.id);
      expect([await verifiedBy(request, secret), signaturesOf(request)]).toEqual([true, 2]);
    }
    const fresh = await add(app);
    const request = await ping(app, fresh.webhook.id);
    expect([await verifiedBy(request, fresh.secret), signaturesOf(request)]).toEqual([true, 1]);
    const back = await callback(app);
    const { out } = await runCommand(secrets, ['webhook-secret'], { env: commandEnv(), input: '' });
    expect(out.trim()).not.toBe(ofProject);
    for (const one of [ofProject, out.trim()]) expect(await verifiedBy(back, one)).toBe(true);

    const found = await told();
    expect(found).toMatch(/FAIL 2 webhooks have a secret that an earlier key made, such as that of the data folder/);
    for (const { webhook } of [before, older]) expect(found).toContain(webhook.id);
    expect(found).not.toContain(fresh.webhook.id);

    for (const { webhook, secret } of [before, older]) {
      const rotated = (await ask(app, `/${webhook.id}/rotate?overlapHours=1`)).body;
      const both = await ping(app, webhook.id);
      for (const one of [secret, rotated.secret]) expect(await verifiedBy(both, one)).toBe(true);
      const last = (await ask(app, `/${webhook.id}/rotate?overlapHours=0`)).body;
      const alone = await ping(app, webhook.id);
      expect([await verifiedBy(alone, last.secret), await verifiedBy(alone, secret), signaturesOf(alone)]).toEqual([
        true,
        false,
        1,
      ]);
    }
    expect(await told()).toContain('ok   all secrets of webhooks are made with SECRETS_KEY');
  },
  { timeout: 120_000 },
);

test('secrets of projects are read before and after the first SECRETS_KEY', async () => {
  const env = { DATA_DIR: folder.path };
  const set = await runCommand(secrets, ['set', 'EARLY', '--host', 'a.example.org'], { env, input: 'walnut' });
  expect(set.code).toBe(0);
  await using app = await start(key);
  const { organizationId, projectId } = app.seed;
  const values = await app.app.deps.secrets.reveal(organizationId, projectId, ['EARLY']);
  expect(values.get('EARLY')?.value).toBe('walnut');
});
