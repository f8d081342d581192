import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { freePorts } from '#scripts/servers/free-ports.ts';
import { Processes } from '#scripts/servers/local-service.ts';

test('ports for servers differ, are free, and are none that a system gives to connections', async () => {
  const ports = await freePorts(30);
  expect(new Set(ports).size).toBe(30);
  expect(ports.filter((port) => port < 1024 || port >= 32_768)).toEqual([]);
  for (const port of ports) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await once(server.close(), 'close');
  }
});

test('a service whose process ends is not waited for', async () => {
  const processes = new Processes();
  processes.start(process.execPath, ['--eval', 'process.exit(3)'], process.cwd());
  await expect(processes.until(async () => false)).rejects.toThrow(
    `${process.execPath} ended before its service was ready`,
  );
});
