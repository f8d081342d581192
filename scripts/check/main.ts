import { parseArgs } from 'node:util';
import { command } from '#scripts/check/command.ts';
import { findProgram, missingLine, outsidePrograms } from '#scripts/check/programs.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { Steps, types, type Step } from '#scripts/check/steps.ts';

/** Steps of some seconds, before the tests. They run at once: each keeps one processor busy. */
const first: readonly Step[] = [
  ['format', command('oxfmt'), '--check', '.'],
  ['unused', command('knip')],
  ['used by tests alone', command('knip'), '--production'],
  ['generated', 'scripts/gen/main.ts', '--check'],
];
const tests: Step = ['tests', command('vitest'), 'run'];
/** Beside the tests, which leave the processor idle while they wait; reported when they end. */
const beside: readonly Step[] = [['lint', command('oxlint'), '--type-aware', '--deny-warnings'], ...types];

const usage = helpText({
  usage: 'npm test',
  does: 'Runs the whole gate, cheapest first: at once format, unused code, generated files, then all tests, and beside them types and lint. The first failure ends it. Programs that this machine lacks are named at once, with the way to get them.',
  environment: [['CI', 'set: a missing program fails its tests; default: they are left out']],
  examples: ['npm test', 'npm run test:quick   # what is near your changes, in a minute'],
});

/** `npm test` and `npm run check`. */
export const check = withHelp(usage, async ({ args, out }) => {
  parseArgs({ args: [...args], options: {} });
  for (const program of outsidePrograms.filter((one) => findProgram(one) === null)) out(missingLine(program));
  const steps = new Steps();
  await steps.atOnce(first);
  await Promise.all([steps.behind(beside), steps.inFront([tests])]);
});

if (import.meta.main) await orExplain(check);
