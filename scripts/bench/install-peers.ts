import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';

const usage = helpText({
  usage: 'npm run bench:peers',
  does: 'Installs the servers that npm run bench compares with, below scripts/bench/peers.',
  examples: ['npm run bench:peers', 'npm run bench -- --only G1'],
});

/** `npm run bench:peers`. */
export const installPeers = withHelp(usage, async ({ args }) => {
  parseArgs({ args: [...args], options: {} });
  const folder = fileURLToPath(new URL('peers/langgraph-api', import.meta.url));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = spawn('npm', ['install', ...options], { cwd: folder, stdio: 'inherit' });
  const [code] = (await once(npm, 'close')) as [number | null];
  return code ?? 1;
});

if (import.meta.main) await orExplain(installPeers);
