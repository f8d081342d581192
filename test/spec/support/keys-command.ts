import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { programEnv } from '#test/support/command.ts';

const script = resolve(import.meta.dirname, '../../../scripts/keys.ts');

/** `npm run keys -- <args>` on a data folder that a running app may have open; gives what it printed. */
export async function keysCommand(dataDir: string, ...args: string[]): Promise<string> {
  const env = programEnv({ DATA_DIR: dataDir });
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env });
  return stdout;
}
