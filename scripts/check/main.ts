import { stdout } from 'node:process';
import { chromiumAdvice, findChromium, mayMissChromium } from '#scripts/check/chromium.ts';
import { command } from '#scripts/check/command.ts';
import { Steps, types, type Step } from '#scripts/check/steps.ts';

/** The whole gate, cheapest first; the first failure ends it. */
const first: readonly Step[] = [
  ['format', command('oxfmt'), '--check', '.'],
  ['unused', command('knip')],
  ['used by tests alone', command('knip'), '--production'],
  ['generated', 'scripts/gen/main.ts', '--check'],
];
const tests: Step = ['tests', command('vitest'), 'run'];
/** Beside the tests, which leave the processor idle while they wait; reported when they end. */
const beside: readonly Step[] = [['lint', command('oxlint'), '--type-aware', '--deny-warnings'], types];

if (findChromium() === null)
  stdout.write(
    `This machine has no Chromium: browser tests ${mayMissChromium() ? 'are skipped' : 'fail, since CI is set'}. ${chromiumAdvice}\n`,
  );

const steps = new Steps();
await steps.inFront(first);
await Promise.all([steps.behind(beside), steps.inFront([tests])]);
