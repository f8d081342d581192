import { parseArgs } from 'node:util';
import { command } from '#scripts/check/command.ts';
import { Steps } from '#scripts/check/steps.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';

const usage = helpText({
  usage: 'npm run fix',
  does: 'Formats all files, and repairs what the linter can repair.',
  examples: ['npm run fix'],
});

/** `npm run fix`. */
export const fix = withHelp(usage, async ({ args }) => {
  parseArgs({ args: [...args], options: {} });
  await new Steps().inFront([
    ['format', command('oxfmt'), '.'],
    ['lint', command('oxlint'), '--type-aware', '--fix'],
  ]);
});

if (import.meta.main) await orExplain(fix);
