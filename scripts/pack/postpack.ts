import { existsSync, renameSync } from 'node:fs';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { kept, manifest } from './files.ts';

const usage = helpText({
  usage: 'npm run postpack',
  does: 'Puts the package.json of the repository back, after npm pack or a run of it that was cut off.',
  examples: ['npm run postpack'],
});

/** Source: docs/decisions/0200. */
export const postpack = withHelp(usage, async () => {
  if (existsSync(kept)) renameSync(kept, manifest);
});

if (import.meta.main) await orExplain(postpack);
