import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { programEnv } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';

test('an interrupted demo removes its folder, and that of one that was killed', async () => {
  const folder = await temporaryFolder();
  // No process has this id: the largest is smaller.
  await mkdir(join(folder.path, 'inkgraph-demo-4194999-left', 'database'), { recursive: true });
  await mkdir(join(folder.path, `inkgraph-demo-${process.pid}-mine`));
  const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/demo/main.ts'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: programEnv({ TMPDIR: folder.path, ...ports }),
    timeout: 25_000,
    killSignal: 'SIGKILL',
  });
  child.stdout.once('data', () => child.kill('SIGINT'));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect([code, signal]).toEqual([0, null]);
  expect(await readdir(folder.path)).toEqual([`inkgraph-demo-${process.pid}-mine`]);
  await folder.remove();
});
