import { kill } from 'node:process';
import { expect, test, vi } from 'vitest';
import { ServiceProcess } from '#app/supervisor/service-process.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { temporaryFolder } from '#test/support/objects.ts';

const up = 'service process is up again';
const again = 'service process ended by itself: it is started again';

interface Watched extends AsyncDisposable {
  readonly service: ServiceProcess;
  /** Messages that the supervisor logged. */
  readonly said: readonly string[];
}

async function start(): Promise<Watched> {
  const folder = await temporaryFolder();
  vi.stubEnv('DATA_DIR', folder.path);
  vi.stubEnv('LOG_LEVEL', 'silent');
  // Vitest sets one, which is none of ours.
  vi.stubEnv('BASE_URL', undefined);
  const said: string[] = [];
  const say = (_fields: object, message: string): void => void said.push(message);
  const logger: Logger = { debug: say, info: say, warn: say, error: say, child: () => logger };
  const service = new ServiceProcess({
    services: ['mcp'],
    ports: { api: 0, agents: 0, mcp: 0, objects: 0 },
    metricsPort: null,
    priority: 'PRIORITY_NORMAL',
    semiSpaceMib: 8,
    longestPauseMs: 1_000,
    beatMs: 200,
    logger,
    passOn: () => undefined,
  });
  const end = async (): Promise<void> => {
    await service.stop(5_000, 'SIGINT');
    await folder.remove();
  };
  return { service, said, [Symbol.asyncDispose]: end };
}

test('a process that stands still without ending is killed, and started again at its port', async () => {
  await using watched = await start();
  const { service, said } = watched;
  const first = await service.begin();
  const { pid } = service;
  expect(said).toEqual([]);
  kill(pid ?? 0, 'SIGSTOP');
  await expect.poll(() => said, { timeout: 25_000 }).toContain(up);
  expect(said.slice(0, 2)).toEqual(['service process gave no sign of life: it is killed', again]);
  expect(service.pid).not.toBe(pid);
  const answer = await fetch(`${first?.addresses.mcp}/health`);
  expect(answer.status).toBe(200);
});

test('a process that is killed before it is up is started again, and given up after three times', async () => {
  await using watched = await start();
  const { service, said } = watched;
  kill(service.pid ?? 0, 'SIGKILL');
  await expect.poll(() => said).toEqual([again]);
  const begun = service.begin();
  kill(service.pid ?? 0, 'SIGKILL');
  const first = await begun;
  expect(said).toEqual([again, again]);
  expect((await fetch(`${first?.addresses.mcp}/health`)).status).toBe(200);

  await using doomed = await start();
  const never = doomed.service.begin();
  let killed = 0;
  for (let pid: number | undefined; killed < 4; killed += 1) {
    await expect.poll(() => doomed.service.pid).not.toBe(pid);
    pid = doomed.service.pid;
    kill(pid ?? 0, 'SIGKILL');
  }
  expect(await never).toBeNull();
  expect(doomed.said).toEqual([again, again, again]);
});
