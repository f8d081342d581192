import { keys } from '#scripts/keys.ts';
import { runCommand } from '#test/support/command.ts';

/** `npm run keys -- <args>` on a data folder that a running app may have open; gives what it printed. */
export async function keysCommand(dataDir: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await runCommand(keys, args, { env: { DATA_DIR: dataDir } });
  if (code !== 0) throw new Error(err);
  return out;
}
