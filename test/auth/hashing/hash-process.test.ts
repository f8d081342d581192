import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createHashProcess } from '#src/adapters/accounts/hashing/hash-process.ts';
import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { problemOf } from '#test/spec/support/replies.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

/** Hashes have a low priority: beside many tests they take seconds each. */
const patience = 120_000;
const store = createMemorySessionStore();
const reads = vi.spyOn(store, 'get');
/** With the passwords of the product. */
const overrides = { passwords: undefined, sessionStore: store };
const env = { SERVICES: 'api', RATE_LIMITS: 'on', TRUSTED_PROXIES: 'loopback' };
let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await startTestApp({ env, overrides });
  person = await app.addPerson('viewer');
}, patience);
afterAll(() => app[Symbol.asyncDispose]());

let addresses = 0;
const signIn = (email: string, password: string) =>
  app.call('POST', '/api/auth/sign-in/email', {
    body: { email, password },
    headers: { 'x-forwarded-for': `198.51.100.${(addresses += 1)}` },
  });
const context = (cookie: string) => app.call('GET', '/api/dashboard/context', { cookie });

/** Processes of this one that hash passwords. */
const hashProcesses = (): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('hash-thread') && line.trim().split(/\s+/)[1] === String(process.pid))
    .map((line) => Number(line.trim().split(/\s+/)[0]));

/** Blocks every thread of Node's pool: each opens a pipe that nobody writes to. */
async function blockedPool(): Promise<{ release(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-pipes-'));
  const pipes = Array.from({ length: 8 }, (_, at) => join(folder, `pipe-${at}`));
  execFileSync('sh', ['-c', 'mkfifo "$@"', 'sh', ...pipes]);
  const opened = pipes.map((pipe) => open(pipe, 'r'));
  return {
    async release() {
      for (const pipe of pipes) closeSync(openSync(pipe, 'w'));
      for (const handle of await Promise.all(opened)) await handle.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe('The process that hashes passwords', () => {
  verifies(
    'auth.password.process',
    async () => {
      let answered = 0;
      const guesses = Array.from({ length: 16 }, async (_, at) => {
        const answer = await signIn(`stranger-${at}@example.com`, 'a wrong password');
        answered += 1;
        return answer;
      });
      await Promise.race(guesses);
      expect((await context(person.cookie)).status).toBe(200);
      expect(answered).toBeLessThan(6);
      const [pid = 0] = hashProcesses();
      process.kill(pid, 'SIGKILL');
      const answers = await Promise.all(guesses);
      const lost = answers.find(({ status }) => status === 503);
      if (lost === undefined) throw new Error('no sign-in has met the end of the process');
      problemOf(lost, 'service.unavailable');
      expect(lost.headers.get('retry-after')).toBe('5');
      expect((await signIn(person.email, person.password)).status).toBe(200);
    },
    { timeout: patience },
  );

  test('ends when it is idle, and another one starts at the next password', { timeout: patience }, async () => {
    await using stack = new AsyncDisposableStack();
    const others = hashProcesses();
    const own = () => hashProcesses().filter((pid) => !others.includes(pid));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const passwords = createHashProcess(stack);
    const hash = await passwords.hash('a password of mine');
    const [first] = own();
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(own()).toEqual([]));
    expect(await passwords.verify({ hash, password: 'a password of mine' })).toBe(true);
    expect(await passwords.verify({ hash, password: 'a password of yours' })).toBe(false);
    expect(own()).not.toContain(first);
    expect(own()).toHaveLength(1);
  });
});

describe('A session', () => {
  verifies(
    'auth.session.signature',
    async () => {
      expect((await context(person.cookie)).status).toBe(200);
      const [name = '', value = ''] = (/app\.session_token=[^;]+/.exec(person.cookie)?.[0] ?? '').split('=');
      const [token = '', signature = ''] = decodeURIComponent(value).split('.');
      const [, other = ''] = decodeURIComponent((await app.addPerson()).cookie).split('.');
      reads.mockClear();
      for (const forged of [token, `${token}.`, `${token}.${other}`, `x${token}.${signature}`, `.${signature}`])
        problemOf(await context(`${name}=${encodeURIComponent(forged)}`), 'auth.unauthorized');
      expect(reads).not.toHaveBeenCalled();
      const pool = await blockedPool();
      try {
        for (const path of ['context', 'documents', 'runs'])
          expect((await app.call('GET', `/api/dashboard/${path}`, { cookie: person.cookie })).status).toBe(200);
        const key = app.seed.serviceKey;
        expect((await app.call('GET', '/api/service/documents', { key })).status).toBe(200);
      } finally {
        await pool.release();
      }
    },
    { timeout: patience },
  );
});
