import { existsSync, renameSync } from 'node:fs';
// The published package.json has no `imports`: `#` names lead nowhere while it stands in place of the repository's.
import { helpText, withHelp } from '../cli/help.ts';
import { processTerminal } from '../cli/terminal.ts';
import { kept, manifest } from './files.ts';

const usage = helpText({
  usage: 'npm run postpack',
  does: 'Puts the package.json of the repository back after npm pack. After one that was cut off, run the file with node.',
  examples: ['node scripts/pack/postpack.ts'],
});

/** Source: docs/decisions/0200. */
export const postpack = withHelp(usage, async () => {
  if (existsSync(kept)) renameSync(kept, manifest);
});

if (import.meta.main) await postpack(processTerminal());
