import { kill } from 'node:process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import { readSeedFile } from '#test/supervisor/seed-file.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { programEnv } from '#test/support/command.ts';
import { layOutSeeded } from '#test/support/template-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

/** All services, over a folder that an earlier start has seeded: `npm start` below makes a new one. */
async function start(): Promise<ServiceProcess> {
  await layOutSeeded(folder.path, { env: {}, overrides: {} });
  return startService({ dataDir: folder.path, env: { API_DEBUG: 'true' } });
}

/** Process ids of the two service processes, as the supervisor logged them. */
function pidsOf({ lines }: ServiceProcess): { front: number; agents: number } {
  const up = lines.find((line) => line.includes('"inkgraph is up"')) ?? '{}';
  return JSON.parse(up).pids;
}

const statusOf = (url: string): Promise<number | null> =>
  fetch(url).then(
    ({ status }) => status,
    () => null,
  );

async function freed(url: string): Promise<boolean> {
  const server = createServer();
  server.listen(Number(new URL(url).port), '127.0.0.1');
  const listening = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]);
  server.close();
  return listening;
}

describe('npm start', () => {
  test('starts a killed service again at its port, and the death of the agents service never shows at the API', async () => {
    await using service = await start();
    const { api, agents, mcp, objects } = service.addresses;
    const pids = pidsOf(service);
    const statuses = new Set<number | null>();
    const asking = new AbortController();
    const asked = (async () => {
      while (!asking.signal.aborted) {
        statuses.add(await statusOf(`${api}/health`));
        // At once, it would take the processor from the service that starts.
        await delay(20);
      }
    })();
    kill(pids.agents, 'SIGKILL');
    await service.said('it is started again');
    await expect.poll(() => statusOf(`${agents}/health`), { timeout: 45_000 }).toBe(200);
    asking.abort();
    await asked;
    expect([...statuses]).toEqual([200]);
    const { serviceKey } = await readSeedFile(folder.path);
    const list = () =>
      fetch(`${api}/api/service/workflows`, { headers: { 'x-api-key': serviceKey } }).then(
        ({ status }) => status,
        () => null,
      );
    expect(await list()).toBe(200);
    // A busy sibling may answer too late for one scrape.
    const metrics = () => fetch(`${agents}/metrics`).then((response) => response.text());
    await expect.poll(metrics).toMatch(/inkgraph_http_request_seconds_count\{service="api",[^}]*workflows/);
    kill(pids.front, 'SIGKILL');
    await expect.poll(list, { timeout: 45_000 }).toBe(200);
    await expect.poll(() => statusOf(`${mcp}/health`)).toBe(200);
    await expect.poll(() => statusOf(objects)).not.toBeNull();
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await Promise.all([api, agents, mcp, objects].map(freed))).toEqual([true, true, true, true]);
  }, 150_000);

  test('leaves no process behind when its supervisor is killed', async () => {
    await using service = await start();
    // Settles when no process holds the pipe of its errors any more, and the children hold it as well.
    await service.kill();
    expect(await freed(service.addresses.api)).toBe(true);
  }, 60_000);

  test('ends with npm, which passes SIGTERM to no more than its shell', async () => {
    const npm = spawn('npm', ['start'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: programEnv({
        DATA_DIR: folder.path,
        API_PORT: '0',
        AGENTS_PORT: '0',
        MCP_PORT: '0',
        OBJECTS_PORT: '0',
        HOME: folder.path,
      }),
    });
    const lines = createInterface(npm.stderr);
    for await (const line of lines) if (line.includes('"inkgraph is up"')) break;
    npm.stderr.resume();
    const closed = once(npm, 'close');
    const begun = performance.now();
    npm.kill('SIGTERM');
    await closed;
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('ends with one line when a service cannot start', async () => {
    const squatter = createServer();
    squatter.listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const port = String((squatter.address() as AddressInfo).port);
    const refused = startService({ dataDir: folder.path, env: { AGENTS_PORT: port, LOG_LEVEL: 'silent' } });
    await expect(refused).rejects.toThrow(
      new RegExp(
        String.raw`^the service ended without saying "\\?"inkgraph is up\\?"":\ninkgraph: Port ${port} is in use[^\n]*$`,
      ),
    );
    squatter.close();
  });
});
