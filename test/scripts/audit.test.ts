import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit as program } from '#scripts/audit.ts';
import { runCommand } from '#test/support/command.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
  for (let n = 0; n < 120; n += 1) await app.app.deps.audit.note([entry(`key_${n}`)]);
});
afterAll(() => app[Symbol.asyncDispose]());

const entry = (target: string) => ({
  organizationId: app.seed.organizationId,
  actor: 'cli',
  action: 'key.issue',
  target,
  detail: { name: 'Line\nbreak' },
});
const audit = (...args: string[]) => runCommand(program, args, { env: { DATA_DIR: app.dataDir } });
const linesOf = (out: string): { readonly id: string; readonly action: string; readonly target: string }[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('npm run audit', () => {
  test('writes the lines that the export of the dashboard has, over more than one page', async () => {
    const { code, out, err } = await audit('--action', 'key');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const exported = await fetch(new URL('/api/dashboard/audit/export?action=key', app.addresses.api), {
      headers: { cookie },
    });
    expect(out).toBe(await exported.text());
    expect(linesOf(out).length).toBeGreaterThanOrEqual(120);
  });

  test('narrows by time, and reads what belongs to no organization', async () => {
    const late = new Date(Date.now() + 3_600_000).toISOString();
    expect((await audit('--since', late)).out).toBe('');
    const lines = linesOf((await audit('--since', '2020-01-01', '--until', late, '--action', 'key.issue')).out);
    expect(lines.map(({ target }) => target)).toEqual(expect.arrayContaining(['key_0', 'key_119']));
    await app.app.deps.audit.note([{ ...entry('nobody'), organizationId: '-', action: 'session.refused' }]);
    expect(linesOf((await audit('--organization', '-', '--action', 'session.refused')).out)).toMatchObject([
      { action: 'session.refused', target: 'nobody' },
    ]);
  });

  test('names what is wrong with an option', async () => {
    expect(await audit('--since', 'yesterday')).toMatchObject({
      code: 1,
      err: '--since must be a time such as 2026-11-01 or 2026-11-01T08:00:00Z.\n',
    });
    expect(await audit('--organization', 'org_none')).toMatchObject({
      code: 1,
      err: 'There is no organization org_none. Correct --organization.\n',
    });
    const { code, err } = await audit('--action', 'KEY');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('expected an action such as key.issue') });
  });
});
