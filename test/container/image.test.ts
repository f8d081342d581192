import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cwd, env, execPath, kill } from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bubblewrap, findProgram, mayMissPrograms } from '#scripts/check/programs.ts';
import { env as variables } from '#src/config/env.ts';
import { layOut, readDockerfile } from '#test/container/image.ts';
import { temporaryFolder } from '#test/support/objects.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let image: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  image = join(folder.path, 'app');
  const dockerfile = await readDockerfile();
  await layOut(dockerfile, image);
  const lines = dockerfile.getInstructions().map((one) => one.getArgumentsContent() ?? '');
  const [, ...args] = lines.find((line) => line.includes('app/bundle/'))?.split(' ') ?? [];
  await promisify(execFile)(execPath, args, { cwd: image });
});
afterAll(() => folder.remove());

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

/** The container's restrictions as a command: user 1000, everything read-only but the data. */
function sandbox(data: string): readonly [string, ...string[]] {
  const found = findProgram(bubblewrap);
  if (found === null) throw new Error(bubblewrap.advice);
  const system = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
  // Packages are links into this repository, which may itself lie under /tmp.
  const shared = [cwd(), folder.path].flatMap((path) => ['--ro-bind', path, path]);
  const places = [...shared, '--bind', data, data, '--chdir', image];
  return [found, ...system, ...places, '--unshare-user', '--uid', '1000', '--json-status-fd', '3'];
}

/** Process of the program itself: bubblewrap, which does not pass signals on, names its child on its fourth channel. */
async function pidIn(program: ChildProcess): Promise<number> {
  const [line] = (await once(createInterface(program.stdio[3] as Readable), 'line')) as [string];
  return (JSON.parse(line) as { 'child-pid': number })['child-pid'];
}

describe('The container image', () => {
  test('has what the services need, and neither tests nor tools of development', async () => {
    const names = await readdir(image);
    expect(names).toEqual(expect.arrayContaining(['app', 'http', 'mcp', 'node_modules', 'packages', 'scripts', 'src']));
    expect(names).not.toContain('test');
    expect(await readdir(join(image, 'scripts'))).not.toContain('bench');
    expect(await readdir(join(image, 'node_modules'))).not.toContain('typescript');
  });

  test('sets variables that there are, and exposes the ports that the services listen on', async () => {
    const lines = (await readDockerfile()).getInstructions();
    const words = (keyword: string): string[] =>
      lines
        .filter((one) => one.getKeyword() === keyword)
        .flatMap((one) => one.getArguments().map((word) => word.getValue()));
    const ports = ['API_PORT', 'AGENTS_PORT', 'MCP_PORT', 'OBJECTS_PORT'] as const;
    expect(words('EXPOSE')).toEqual(ports.map((name) => String(variables[name].schema.parse(undefined))));
    const known = new Set([...Object.keys(variables), 'NODE_ENV', 'NODE_COMPILE_CACHE']);
    for (const word of words('ENV')) expect(known).toContain(word.slice(0, word.indexOf('=')));
    expect(words('USER')).toEqual(['1000:1000']);
  });

  test('starts as user 1000 on a read-only root, answers its health check, and ends at SIGTERM', async ({ skip }) => {
    skip(findProgram(bubblewrap) === null && mayMissPrograms(), bubblewrap.missing);
    const data = join(folder.path, 'data');
    await mkdir(data);
    const settings = {
      PATH: env['PATH'],
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: env['NODE_COMPILE_CACHE'],
      EMBEDDED_DB: 'allow',
      DATA_DIR: data,
      API_PORT: await freePort(),
      AGENTS_PORT: '0',
      MCP_PORT: '0',
      OBJECTS_PORT: '0',
    };
    const [file, ...args] = sandbox(data);
    const command = [...args, execPath, 'scripts/need-node.cjs', 'app/main.ts'];
    const program = spawn(file, command, { cwd: image, stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env: settings });
    const ended = once(program, 'close');
    const log: string[] = [];
    const up = Promise.withResolvers<void>();
    const lines = createInterface(program.stdio[2] as Readable);
    lines.on('line', (line) => {
      log.push(line);
      if (line.includes('"inkgraph is up"')) up.resolve();
    });
    lines.once('close', () => up.reject(new Error(`ended before it was up: ${log.join('\n')}`)));
    await up.promise;
    const pid = await pidIn(program);
    const check = spawn(execPath, ['scripts/need-node.cjs', 'scripts/container/healthcheck.ts'], {
      cwd: image,
      env: settings,
    });
    expect(await once(check, 'exit')).toEqual([0, null]);
    kill(pid, 'SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(log.filter((line) => line.includes('could not be bundled'))).toEqual([]);
    const dead = spawn(execPath, ['scripts/need-node.cjs', 'scripts/container/healthcheck.ts'], {
      cwd: image,
      env: settings,
    });
    expect(await once(dead, 'exit')).toEqual([1, null]);
  });
});
