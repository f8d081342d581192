import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath, exit } from 'node:process';
import { createInterface } from 'node:readline';

/**
 * Starts all services once and ends them, while the container image is built: Node keeps the code that it compiled in NODE_COMPILE_CACHE,
 * where containers with a read-only root find it.
 */
const folder = await mkdtemp(join(tmpdir(), 'inkgraph-warm-'));
const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
const program = spawn(execPath, ['scripts/need-node.cjs', 'app/main.ts'], {
  stdio: ['ignore', 'inherit', 'pipe'],
  env: { ...env, ...ports, DATA_DIR: folder, HOST: '127.0.0.1', EMBEDDED_DB: 'allow', LOG_LEVEL: 'info' },
});
const ended = once(program, 'exit') as Promise<[number | null]>;
/** Lines of the log that say that a service is ready, in any order. */
const awaited = new Set(['"inkgraph is up"', '"worker takes runs"']);
for await (const line of createInterface(program.stderr)) {
  const found = awaited.values().find((one) => line.includes(one));
  if (found !== undefined && awaited.delete(found) && awaited.size === 0) program.kill('SIGTERM');
}
const [code] = await ended;
await rm(folder, { recursive: true, force: true });
exit(awaited.size === 0 ? (code ?? 1) : 1);
