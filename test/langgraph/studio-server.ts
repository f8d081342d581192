import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { programEnv } from '#test/support/command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(
  dirname(createRequire(import.meta.url).resolve('@langchain/langgraph-cli/package.json')),
  'dist/cli/cli.mjs',
);

export interface StudioServer extends AsyncDisposable {
  readonly url: string;
  /** Everything that the server wrote so far. */
  output(): string;
  /** Ends the command. Resolves when neither it nor a process that it started is left. */
  stop(): Promise<void>;
}

/** The langgraph.json of the repository, for a folder elsewhere: the server writes beside it. */
async function writeConfig(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const { graphs, ...rest } = JSON.parse(readFileSync(join(root, 'langgraph.json'), 'utf8')) as {
    graphs: Record<string, string>;
  };
  const moved = Object.entries(graphs).map(([id, spec]) => [id, join(relative(folder, root), spec)]);
  await writeFile(join(folder, 'langgraph.json'), JSON.stringify({ ...rest, graphs: Object.fromEntries(moved) }));
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, '.env'), lines.join(''));
}

/** `langgraphjs dev` on a free port, with its state in a temporary folder and `env` in the `.env` file beside langgraph.json. */
export async function startStudioServer(env: Readonly<Record<string, string>>): Promise<StudioServer> {
  const folder = await mkdtemp(join(tmpdir(), 'langgraph-'));
  await writeConfig(folder, env);
  const args = [
    command,
    'dev',
    '--no-browser',
    '--no-reload',
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--n-jobs-per-worker',
    '20',
  ];
  const child = spawn(process.execPath, [...args, '--config', join(folder, 'langgraph.json')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...programEnv({}), HOME: folder, LANGGRAPH_CLI_NO_ANALYTICS: '1' },
  });
  const closed = once(child, 'close');
  let output = '';
  const url = new Promise<string>((resolve, reject) => {
    const read = (text: string): void => {
      output += stripVTControlCharacters(text);
      const [, address] = /Server running at (\S+)/.exec(output) ?? [];
      if (address !== undefined) resolve(`http://${address}`);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    void closed.then(() => reject(new Error(`the server ended:\n${output}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    // Its output closes with the last process that has it.
    await closed;
  };
  return {
    url: await url,
    output: () => output,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
