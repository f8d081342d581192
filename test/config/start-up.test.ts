import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { compose } from '#app/compose.ts';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { loadConfig } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { programEnv } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
const settings = (env: Record<string, string>): Record<string, string> => ({
  DATA_DIR: folder.path,
  LOG_LEVEL: 'silent',
  SERVICES: 'api,mcp',
  ...ports,
  ...env,
});

/** Exit code and output of a program that cannot start. Kills it when it stays up. */
async function refusal(env: Record<string, string>): Promise<{ code: unknown; said: string[] }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'app/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: programEnv(settings(env)),
    timeout: 12_000,
    killSignal: 'SIGKILL',
  });
  const [[code, signal], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code ?? signal, said: `${out}${err}`.split('\n').filter((line) => line !== '') };
}

async function oneLine(env: Record<string, string>): Promise<string> {
  const { code, said } = await refusal(env);
  expect({ code, said }).toEqual({ code: 1, said: [expect.stringMatching(/^inkgraph: /)] });
  return said[0] ?? '';
}

/** The line that the program ends with, without a process: `runProgram` prints the message of a ConfigError, and nothing more. */
async function lineHere(env: Record<string, string>): Promise<string> {
  const start = async (): Promise<void> => {
    await using app = await compose(loadConfig(settings(env)), { openDatabase: openOnWarmThread });
    await app.start();
  };
  const error: unknown = await start().then(
    () => null,
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(ConfigError);
  const { message } = error as ConfigError;
  expect(message).not.toContain('\n');
  return message;
}

describe('A program that cannot start says why in one line, and ends with 1', () => {
  test('on broken variables', async () => {
    const line = await oneLine({ API_PORT: 'x', MONGODB_URI: 'root:hunter2@db' });
    expect(line).toMatch(/API_PORT="x".*MONGODB_URI=\(secret\)/);
    expect(line).not.toContain('hunter2');
  });

  test('in production without a database', async () => {
    expect(await lineHere({ NODE_ENV: 'production' })).toContain('MONGODB_URI');
  });

  test.each([
    ['API_PORT', oneLine],
    ['OBJECTS_PORT', lineHere],
  ] as const)('on a port in use, naming %s', async (name, lineOf) => {
    const squatter = createServer();
    squatter.listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const port = String((squatter.address() as AddressInfo).port);
    const line = await lineOf({ [name]: port });
    squatter.close();
    expect(line).toContain(`Port ${port} is in use`);
    expect(line).toContain(name);
    expect(line).toContain('npx inkgraph doctor');
  });

  test('on an address that this machine has not', async () => {
    expect(await lineHere({ HOST: '192.0.2.1' })).toContain('HOST=192.0.2.1');
  });

  test('on data of a newer program', async () => {
    await prepareFolder(folder.path);
    const engine = await openOnWarmThread({ dataDir: folder.path });
    const database = connectDatabase(engine.uri);
    await database.db
      .collection<{ _id: string; version: number }>('meta')
      .updateOne({ _id: 'schema' }, { $set: { version: 99 } });
    await database.close();
    await engine.close();
    expect(await lineHere({})).toContain('schema 99');
  });

  test('on a database file that is none, which stays as it is', async () => {
    const file = join(folder.path, 'database', 'inkgraph.sqlite');
    await mkdir(join(folder.path, 'database'), { recursive: true });
    const damage = 'this is no database'.repeat(1_000);
    await writeFile(file, damage);
    const { code, said } = await refusal({});
    expect(code).toBe(1);
    expect(said[0]).toContain('inkgraph.sqlite');
    expect(await readFile(file, 'utf8')).toBe(damage);
  });

  test('on a database that does not answer, without telling its password', async () => {
    const line = await lineHere({ MONGODB_URI: 'mongodb://user:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=200' });
    expect(line).toMatch(/127\.0\.0\.1:1/);
    expect(line).not.toContain('hunter2');
  });
});
