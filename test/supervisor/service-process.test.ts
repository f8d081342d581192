import { kill } from 'node:process';
import { expect, test, vi } from 'vitest';
import { ServiceProcess } from '#app/supervisor/service-process.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { temporaryFolder } from '#test/support/objects.ts';

test('a process that stands still without ending is killed, and started again at its port', async () => {
  const folder = await temporaryFolder();
  await using _folder = { [Symbol.asyncDispose]: () => folder.remove() };
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
  await using _service = { [Symbol.asyncDispose]: () => service.stop(5_000, 'SIGINT') };
  const first = await service.begin();
  const { pid } = service;
  expect(said).toEqual([]);
  kill(pid ?? 0, 'SIGSTOP');
  const up = 'service process is up again';
  await expect.poll(() => said, { timeout: 25_000 }).toContain(up);
  expect(said.slice(0, 2)).toEqual([
    'service process gave no sign of life: it is killed',
    'service process ended by itself: it is started again',
  ]);
  expect(service.pid).not.toBe(pid);
  const answer = await fetch(`${first?.addresses.mcp}/health`);
  expect(answer.status).toBe(200);
});
