import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { readAddresses } from '#app/compose/addresses.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { seedProject } from '#scripts/seed.ts';
import { programEnv, runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const token = 'a-token+of/my.own';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const start = (env: Record<string, string>) => startTestApp({ dataDir: folder.path, env: { SERVICES: 'api', ...env } });
const ask = (app: TestApp, cookie: string) => app.call('GET', '/api/dashboard/context', { cookie });
/** Output of `npm run seed -- --json`. */
async function seedBy(env: Record<string, string>): Promise<Record<string, string>> {
  const { code, out, err } = await runCommand(seedProject, ['--json'], { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

let programs: ChildProcess[] = [];
afterEach(() => {
  for (const one of programs) one.kill('SIGKILL');
  programs = [];
});

/** A start of the program, and the first line that it says. */
async function program(env: Record<string, string>): Promise<{ line: string; end(): Promise<unknown> }> {
  const service = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'app/main.ts'], {
    cwd: root,
    env: programEnv(env),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 25_000,
  });
  programs.push(service);
  const ended = once(service, 'close');
  const [line] = (await once(createInterface(service.stdout), 'line')) as [string];
  return {
    line,
    end() {
      service.kill('SIGTERM');
      return ended;
    },
  };
}

const debug = { API_DEBUG: 'true', DASHBOARD_SESSION_TOKEN: token };

describe('The seeded session', () => {
  test('opens the dashboard by its raw and its signed token, and by no other raw one', async () => {
    await using app = await start(debug);
    expect(app.app.sessionLine()).toBeNull();
    const { operatorEmail, organizationId } = app.seed;
    const cookie = await app.app.sessions.openSeeded({ email: operatorEmail, organizationId });
    const raw = `app.session_token=${token}`;
    for (const one of [cookie, raw, `a=b; app.session_token=${encodeURIComponent(token)}; c=d`]) {
      const { status, body } = await ask(app, one);
      expect(status).toBe(200);
      expect(body).toMatchObject({ organization: { id: organizationId }, credential: { email: operatorEmail } });
    }
    const other =
      decodeURIComponent(await app.signIn())
        .slice('app.session_token='.length)
        .split('.')[0] ?? '';
    problemOf(await ask(app, `app.session_token=${other}`), 'auth.unauthorized');
    problemOf(await ask(app, `${raw}x`), 'auth.unauthorized');
    // Nobody signs in to it: it counts as a recent sign-in, however old it is.
    const before = Date.now();
    expect((await app.app.sessions.read(raw))?.provedAt.getTime()).toBeGreaterThanOrEqual(before);
    expect((await app.call('POST', '/api/auth/sign-out', { cookie: raw, body: {} })).status).toBe(200);
    problemOf(await ask(app, raw), 'auth.unauthorized');
  });

  test('is printed by a start as a header that works and by npm run seed as the same cookie, and ends with the debug mode', async () => {
    const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
    const env = { DATA_DIR: folder.path, LOG_LEVEL: 'silent', SERVICES: 'api', API_DEBUG: 'true', ...ports };
    const service = await program(env);
    const { line } = service;
    const api = (await readAddresses(folder.path))?.api ?? '';
    expect(line).toMatch(/^Cookie: app\.session_token=\S+$/);
    const cookie = line.replace(/^Cookie: /, '');
    // Another start on the same data: the session is the same, and goes on.
    const { sessionCookie, operatorEmail, operatorPassword } = await seedBy(env);
    expect(sessionCookie).toBe(cookie);
    expect((await fetch(`${api}/api/dashboard/context`, { headers: { cookie } })).status).toBe(200);
    expect([operatorEmail, operatorPassword]).toEqual([expect.stringContaining('@'), expect.any(String)]);
    await service.end();
    const signed = cookie.replace('app.session_token=', '');
    {
      await using app = await start({ API_DEBUG: 'true', DASHBOARD_SESSION_TOKEN: signed });
      expect((await ask(app, cookie)).status).toBe(200);
      expect((await ask(app, `app.session_token=${decodeURIComponent(signed).split('.')[0]}`)).status).toBe(200);
    }
    const said: string[] = [];
    const silent = createPinoLogger('silent');
    const logger = { ...silent, child: () => logger, warn: (_: object, message: string) => void said.push(message) };
    await using after = await startTestApp({
      dataDir: folder.path,
      env: { SERVICES: 'api', DASHBOARD_SESSION_TOKEN: signed },
      overrides: { logger: { ...logger, debug() {}, info() {}, error() {} } },
    });
    expect(said).toContainEqual(expect.stringContaining('DASHBOARD_SESSION_TOKEN is ignored'));
    for (const one of [cookie, `app.session_token=${decodeURIComponent(signed).split('.')[0]}`])
      problemOf(await ask(after, one), 'auth.unauthorized');
  });
});
