import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { readSources } from '#test/architecture/source.ts';
import type { Subpaths } from '#test/architecture/directions.ts';
import { command } from '#scripts/check/command.ts';
import { relatedTests, withinSeconds } from '#scripts/check/related-tests.ts';
import { slownessOf } from '#scripts/check/slow-first.ts';
import { Steps, types, type Step } from '#scripts/check/steps.ts';
import { readTestSeconds } from '#scripts/check/test-seconds.ts';

/** Seconds of tests, all workers together: with types and lint beside them they end within a minute on two cores. */
const budget = 30;
/** Taken for a test that never ran here. */
const unknownSeconds = { usual: 3, slow: 15 };

const root = resolve(import.meta.dirname, '../..');
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const isThere = (revision: string): boolean => {
  const found = linesOf(git('for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/remotes'));
  return found.includes(revision);
};

/** The commit where this branch left main; on main itself the last commit, so that uncommitted changes count. */
function baseOf(): string {
  const main = ['main', 'origin/main'].find(isThere);
  return main === undefined ? 'HEAD' : git('merge-base', 'HEAD', main);
}

const usage = helpText({
  usage: 'npm run test:quick',
  does: 'Checks types, lints what changed since main, and runs the nearest tests of it, in about a minute. npm test runs everything.',
  examples: ['npm run test:quick'],
});

/** `npm run test:quick`. */
export const quick = withHelp(usage, async ({ args }) => {
  parseArgs({ args: [...args], options: {} });
  const base = baseOf();
  const changed = [
    ...new Set([
      ...linesOf(git('diff', '--name-only', '--diff-filter=d', base)),
      ...linesOf(git('ls-files', '--others', '--exclude-standard')),
    ]),
  ].filter((path) => existsSync(resolve(root, path)));
  const code = changed.filter((path) => /\.(ts|tsx|js|cjs)$/.test(path));

  const { imports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { imports: Subpaths };
  const took = readTestSeconds();
  const secondsOf = (path: string): number =>
    took[path] ?? (slownessOf(path) === -1 ? unknownSeconds.usual : unknownSeconds.slow);
  const related = relatedTests(readSources(root), imports, code);
  const { chosen, leftOut } = withinSeconds(related, secondsOf, budget);

  stdout.write(
    `${changed.length} files changed since ${base.slice(0, 10)}: ${chosen.length} of ${related.length} related test files run.\n`,
  );
  const beside: Step[] = [...types];
  if (code.length > 0)
    beside.unshift(['lint of changed files', command('oxlint'), '--type-aware', '--deny-warnings', ...code]);
  const steps = new Steps();
  await Promise.all([
    steps.behind(beside),
    steps.inFront(chosen.length === 0 ? [] : [['tests', command('vitest'), 'run', ...chosen]]),
  ]);

  const folders = Object.entries(Object.groupBy(leftOut, dirname)).map(([folder, of]) => [folder, of?.length] as const);
  stdout.write(`
Left out: format, unused code, generated files, lint of unchanged files${leftOut.length === 0 ? '' : `, and ${leftOut.length} test files that are further away or take long:`}
${folders.map(([folder, count]) => `  ${folder} ${count}\n`).join('')}\`npm test\` runs everything.
`);
});

if (import.meta.main) await orExplain(quick);
