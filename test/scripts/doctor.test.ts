import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { publishAddresses } from '#app/compose/addresses.ts';
import { doctor } from '#scripts/doctor.ts';
import { programEnv, runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp } from '#test/support/test-app.ts';

const app = await startTestApp({ env: { SERVICES: 'api' } });
const folder = await temporaryFolder();
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await folder.remove();
});
const { addresses, dataDir } = app;
const portOf = (url: string): string => new URL(url).port;
const env = {
  API_PORT: portOf(addresses.api),
  AGENTS_PORT: '0',
  MCP_PORT: '0',
  OBJECTS_PORT: portOf(addresses.objects),
};

describe('npm run doctor', () => {
  test('knows the services of the data folder by their answers', async () => {
    await using _published = await publishAddresses(dataDir, addresses);
    const { code, out } = await runCommand(doctor, [], { env: { ...env, DATA_DIR: dataDir } });
    expect(out).toContain(`ok   API_PORT ${env.API_PORT} is in use by Inkgraph, which runs on this data folder`);
    expect(out).toContain(`ok   OBJECTS_PORT ${env.OBJECTS_PORT} is in use by Inkgraph`);
    expect(code).toBe(0);
  });

  test('tells them from those of another data folder', async () => {
    const { code, out } = await runCommand(doctor, [], { env: { ...env, DATA_DIR: folder.path } });
    expect(out).toContain(`FAIL API_PORT ${env.API_PORT} is in use by an Inkgraph on another data folder`);
    expect(code).toBe(1);
  });

  test('tells another program from them, also beside the file of a service that was killed', async () => {
    const squatter = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n')).listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    const taken = `http://127.0.0.1:${port}`;
    await using _stale = await publishAddresses(folder.path, { ...addresses, mcp: taken });
    const { code, out } = await runCommand(doctor, [], {
      env: { ...env, API_PORT: '0', OBJECTS_PORT: '0', MCP_PORT: String(port), DATA_DIR: folder.path },
    });
    squatter.close();
    expect(out).toContain(`FAIL MCP_PORT ${port} is in use by another program`);
    expect(code).toBe(1);
  });

  test('names variables that have no effect', async () => {
    const { code, out } = await runCommand(doctor, [], { env: { DATA_DIR: folder.path, REDIS_CLUSTER: 'x' } });
    expect(out).toMatch(/FAIL REDIS_CLUSTER is no setting and has no effect.*\n +fix: correct or unset it/);
    expect(code).toBe(1);
  });

  test('survives a reader that closes the pipe', async () => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/doctor.ts'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: programEnv({ ...env, API_PORT: '0', OBJECTS_PORT: '0', DATA_DIR: folder.path }),
    });
    child.stdout.destroy();
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect([code, err]).toEqual([0, '']);
  });
});
