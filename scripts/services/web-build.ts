import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildBundle } from '#src/adapters/web/build-bundle.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';

const usage = helpText({
  usage: 'npm run web:build -- <folder>',
  does: 'Builds the dashboard into a new folder, for WEB_DIR. npm start builds it by itself where it is missing.',
  examples: ['npm run web:build -- dist/web', 'WEB_DIR=dist/web npm start'],
});

/** `npm run web:build -- <folder>`. */
export const webBuild = withHelp(usage, async ({ args }) => {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError(usage);
  await buildBundle(resolve(folder));
});

if (import.meta.main) await orExplain(webBuild);
