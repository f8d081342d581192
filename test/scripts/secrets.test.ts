import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { doctor } from '#scripts/doctor.ts';
import { secrets as program } from '#scripts/secrets.ts';
import { programEnv, runCommand } from '#test/support/command.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
});
afterAll(() => app[Symbol.asyncDispose]());

const env = () => ({ DATA_DIR: app.dataDir });
const secrets = (args: readonly string[], input = '') => runCommand(program, args, { env: env(), input });

/** In a process of its own, whose standard input is a pipe. */
async function spawned(args: readonly string[], input: string) {
  const child = spawn(process.execPath, ['scripts/secrets.ts', ...args], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'pipe'],
    env: programEnv(env()),
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  // A command that is refused does not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, out, err };
}

test('a secret is set from standard input, listed without its value, revealed to runs only, and deleted', async () => {
  const { organizationId, projectId } = app.seed;
  const reveal = async () =>
    (await app.app.deps.secrets.reveal(organizationId, projectId, ['ERP_TOKEN'])).get('ERP_TOKEN')?.value;
  const set = await spawned(
    ['set', 'ERP_TOKEN', '--host', 'b.example.org', '--host', 'a.example.org'],
    'walnut-4711 \n',
  );
  expect(set).toEqual({ code: 0, out: 'ERP_TOKEN is set.\n', err: '' });
  expect(await reveal()).toBe('walnut-4711 ');
  const list = await secrets(['list']);
  expect(list.out).toMatch(/^ERP_TOKEN {2}set \S+Z by cli {2}to a\.example\.org, b\.example\.org\n$/);
  expect(await secrets(['bind', 'ERP_TOKEN', '--host', '*.example.org'])).toMatchObject({
    code: 0,
    out: 'ERP_TOKEN is bound.\n',
  });
  expect((await secrets(['list'])).out).toContain('to *.example.org\n');
  expect(await reveal()).toBe('walnut-4711 ');
  const stored = await collectionsIn(app.dataDir);
  const rows = [await stored.secrets.find({}).toArray(), await stored.audit.find({}).toArray()];
  await stored.close();
  expect(JSON.stringify(rows)).toContain('secret.set');
  expect(JSON.stringify(rows)).not.toMatch(/walnut|d2FsbnV0/);
  expect((await secrets(['delete', 'ERP_TOKEN'])).code).toBe(0);
  expect(await reveal()).toBeUndefined();
});

test('the webhook secret of a project is the same every time, and another for another project', async () => {
  const { code, out } = await secrets(['webhook-secret']);
  expect(code).toBe(0);
  expect(out).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  expect(out.trim()).toBe(app.app.deps.webhookSecretOf(app.seed.projectId));
  expect(out.trim()).not.toBe(app.app.deps.webhookSecretOf('prj_other'));
});

test('the key rotates: doctor names what is under the old one, rotate seals it anew, and runs read it all the time', async () => {
  const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
  const as = (current: string, previous?: string) => ({
    ...env(),
    SECRETS_KEY: current,
    ...(previous !== undefined && { SECRETS_KEY_PREVIOUS: previous }),
  });
  const run = (args: readonly string[], by: Record<string, string>, input = '') =>
    runCommand(program, args, { env: by, input });
  await run(['set', 'ROTATED', '--host', 'a.example.org'], as(first), 'walnut');
  const told = async (by: Record<string, string>) => (await runCommand(doctor, [], { env: by, input: '' })).out;
  expect(await told(as(first))).toContain('ok   all secrets are sealed with SECRETS_KEY');
  expect(await told(as(second, first))).toMatch(
    /FAIL 1 secrets are sealed with an earlier key: \S+\/ROTATED\n +fix: npm run secrets -- rotate/,
  );
  const lost = await run(['rotate'], as(second));
  expect(lost).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^0 secrets are sealed anew\. 1 do not open\.\n\S+\/ROTATED: /),
  });
  const done = await run(['rotate'], as(second, first));
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^1 secrets are sealed anew\. 0 do not open\.\n/) });
  expect(await told(as(second))).toContain('ok   all secrets are sealed with SECRETS_KEY');
  // Later tests read under the key of the data folder.
  expect((await run(['delete', 'ROTATED'], as(second))).code).toBe(0);
}, 30_000);

test.each([
  [['set', 'ERP_TOKEN', 'value-as-argument'], 'Usage:'],
  [['set'], 'Usage:'],
  [['set', 'NO_HOST'], 'Usage:'],
  [['list', '--host', 'a.example.org'], 'Usage:'],
  [['set', 'lower', '--host', 'a.example.org'], 'name: use A-Z'],
  [['set', 'EMPTY', '--host', 'a.example.org'], 'value: Too small'],
  [['set', 'ANY', '--host', '*.org'], 'hosts: "*.org" is no host'],
  [['bind', 'NOT_THERE', '--host', 'a.example.org'], 'no secret NOT_THERE'],
  [['list', 'ERP_TOKEN'], 'Usage:'],
  [['delete', 'NOT_THERE'], 'no secret NOT_THERE'],
  [['list', '--project', 'prj_unknown'], 'has no project prj_unknown. Correct --project.'],
  [['list', '--values'], "Unknown option '--values'"],
  [['reveal', 'ERP_TOKEN'], 'Usage:'],
])('%j ends with 1 and says why, without a stack', async (args, reason) => {
  const { code, out, err } = await secrets(args, args.includes('EMPTY') ? '' : 'x\n');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(reason);
  expect(err).not.toMatch(/\n\s+at /);
});
