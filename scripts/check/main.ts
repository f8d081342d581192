import { stdout } from 'node:process';
import { command } from '#scripts/check/command.ts';
import { findProgram, mayMissPrograms, outsidePrograms } from '#scripts/check/programs.ts';
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
const beside: readonly Step[] = [['lint', command('oxlint'), '--type-aware', '--deny-warnings'], ...types];

for (const program of outsidePrograms.filter((one) => findProgram(one) === null))
  stdout.write(
    `This machine has no ${program.name}: ${program.tests} tests ${mayMissPrograms() ? 'are skipped' : 'fail, since CI is set'}. ${program.advice}\n`,
  );

const steps = new Steps();
await steps.inFront(first);
await Promise.all([steps.behind(beside), steps.inFront([tests])]);
