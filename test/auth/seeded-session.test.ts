import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { readAddresses } from '#src/compose/addresses-file.ts';
import { problemOf } from '#test/spec/support/replies.ts';
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
    expect((await app.call('POST', '/api/auth/sign-out', { cookie: raw, body: {} })).status).toBe(200);
    problemOf(await ask(app, raw), 'auth.unauthorized');
  });

  test('is the same at every start, works by a token that was signed before, and ends with the debug mode', async () => {
    const lines: (string | null)[] = [];
    for (let round = 0; round < 2; round += 1) {
      await using app = await start({ API_DEBUG: 'true' });
      lines.push(app.app.sessionLine());
      expect((await ask(app, lines[0]?.replace(/^Cookie: /, '') ?? '')).status).toBe(200);
    }
    expect(lines[0]).toMatch(/^Cookie: app\.session_token=\S+$/);
    expect(lines[1]).toBe(lines[0]);
    const cookie = lines[0]?.replace(/^Cookie: /, '') ?? '';
    const signed = cookie.replace('app.session_token=', '');
    {
      await using app = await start({ API_DEBUG: 'true', DASHBOARD_SESSION_TOKEN: signed });
      expect((await ask(app, cookie)).status).toBe(200);
      expect((await ask(app, `app.session_token=${decodeURIComponent(signed).split('.')[0]}`)).status).toBe(200);
    }
    await using after = await start({});
    problemOf(await ask(after, cookie), 'auth.unauthorized');
  });

  test('is not there without API_DEBUG, and the log says so', async () => {
    const said: string[] = [];
    const silent = createPinoLogger('silent');
    const logger = { ...silent, child: () => logger, warn: (_: object, message: string) => void said.push(message) };
    await using app = await startTestApp({
      dataDir: folder.path,
      env: { SERVICES: 'api', DASHBOARD_SESSION_TOKEN: token },
      overrides: { logger: { ...logger, debug() {}, info() {}, error() {} } },
    });
    expect(said).toContainEqual(expect.stringContaining('DASHBOARD_SESSION_TOKEN is ignored'));
    problemOf(await ask(app, `app.session_token=${token}`), 'auth.unauthorized');
  });

  test('is printed by a start as a header that works, and by npm run seed as a cookie', async () => {
    const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
    const env = {
      PATH: process.env['PATH'],
      DATA_DIR: folder.path,
      LOG_LEVEL: 'silent',
      SERVICES: 'api',
      API_DEBUG: 'true',
      ...ports,
    };
    const run = (program: string, ...args: string[]) =>
      spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 25_000,
      });
    const service = run('src/main.ts');
    const [line] = (await once(createInterface(service.stdout), 'line')) as [string];
    const api = (await readAddresses(folder.path))?.api ?? '';
    const seed = run('scripts/seed.ts', '--json');
    const [json] = (await once(createInterface(seed.stdout), 'line')) as [string];
    const { sessionCookie, operatorEmail, operatorPassword } = JSON.parse(json);
    const statuses = [];
    for (const cookie of [line.replace(/^Cookie: /, ''), sessionCookie])
      statuses.push((await fetch(`${api}/api/dashboard/context`, { headers: { cookie } })).status);
    const ended = once(service, 'close');
    service.kill('SIGTERM');
    await ended;
    expect(line).toMatch(/^Cookie: app\.session_token=/);
    expect(statuses).toEqual([200, 200]);
    expect([operatorEmail, operatorPassword]).toEqual([expect.stringContaining('@'), expect.any(String)]);
  });
});
