import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Seed } from '#app/compose/seed.ts';
import { UsageError } from '#scripts/cli/with-app.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** An earlier state of the program, in a folder of its own with its own packages. */
export interface Release extends AsyncDisposable {
  readonly root: string;
  /** Version, and the commit where it is one. */
  readonly name: string;
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Output of a command. Throws what it said when it failed. */
async function outputOf({ program, args, cwd, env = {} }: Command): Promise<Buffer> {
  const child = spawn(program, [...args], { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  const [out, err, [code]] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
  if (code !== 0)
    throw new UsageError(`${program} ${args.slice(0, 3).join(' ')} failed: ${err.toString().slice(-2_000)}`);
  return out;
}

async function versionIn(root: string): Promise<string> {
  return z.object({ version: z.string() }).parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
    .version;
}

/** Takes the files of a commit and installs its packages, for about a minute. A folder with an installed program is used as it is. */
export async function openRelease(source: string, line: (text: string) => void): Promise<Release> {
  if (existsSync(join(source, 'app/main.ts'))) {
    const root = resolve(source);
    return { root, name: await versionIn(root), [Symbol.asyncDispose]: async () => undefined };
  }
  const commit = (
    await outputOf({ program: 'git', args: ['rev-parse', '--short', `${source}^{commit}`], cwd: repository })
  )
    .toString()
    .trim();
  const root = await mkdtemp(join(tmpdir(), `inkgraph-${commit}-`));
  const end = () => rm(root, { recursive: true, force: true });
  try {
    const files = join(root, 'files.tar');
    await outputOf({ program: 'git', args: ['archive', `--output=${files}`, commit], cwd: repository });
    await outputOf({ program: 'tar', args: ['-xf', files], cwd: root });
    await rm(files);
    line(`installing the packages of ${commit} ...`);
    await outputOf({ program: 'npm', args: ['ci', '--omit=dev', '--no-audit', '--no-fund'], cwd: root });
    return { root, name: `${await versionIn(root)} (${commit})`, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Lets a release make an installation: its data is of its own schema. */
export async function seedBy({ root }: Release, env: Readonly<Record<string, string>>): Promise<Seed> {
  const args = ['--disable-warning=ExperimentalWarning', 'scripts/seed.ts', '--json'];
  const out = await outputOf({ program: process.execPath, args, cwd: root, env });
  return JSON.parse(out.toString()) as Seed;
}
