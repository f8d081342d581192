import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { compareWith, comparisonTable } from '#scripts/bench/compare/compare.ts';
import { truthOf } from '#scripts/bench/documents/truth.ts';
import { machine, oneMinuteLoad } from '#scripts/bench/machine.ts';
import { measure } from '#scripts/bench/measure.ts';
import { readOptions, usage, type Options } from '#scripts/bench/options.ts';
import { summarizeProfiles } from '#scripts/bench/profiles.ts';
import { rows } from '#scripts/bench/rows.ts';
import { table } from '#scripts/bench/table.ts';
import { isBroken, ratioOf, slack, verdictOf } from '#scripts/bench/verdict.ts';

async function writeFigures(options: Options, startedAt: Date, figures: object): Promise<string> {
  const file = options.json ?? join('bench-results', `${startedAt.toISOString().replaceAll(':', '-')}.json`);
  await mkdir(dirname(file), { recursive: true });
  const { quick, runs } = options;
  await writeFile(file, `${JSON.stringify({ startedAt, quick, runs, ...figures }, null, 2)}\n`);
  return file;
}

async function compareTrees(options: Options, commit: string): Promise<void> {
  const startedAt = new Date();
  const before = oneMinuteLoad();
  const compared = await compareWith(commit, options);
  const load = { before, after: oneMinuteLoad() };
  const file = await writeFigures(options, startedAt, { machine: machine(), load, ...compared });
  process.stdout.write(
    `\n${comparisonTable(compared)}\n${options.runs} rounds in turns; 1-minute load ${load.before} before, ${load.after} after\nfigures: ${file}\n`,
  );
  const worse = compared.comparisons.filter(({ judgment }) => judgment === 'worse');
  if (options.strict && worse.length + compared.failures.length > 0) {
    process.stderr.write(
      `${worse.length} line(s) are worse than ${compared.commit}, ${compared.failures.length} failed\n`,
    );
    process.exitCode = 1;
  }
}

/** `npm run bench`. */
export const bench = withHelp(usage, async ({ args }) => {
  const ids = rows.map((row) => row.id);
  const options = readOptions(args, ids);
  const { profiles, quick, runs } = options;
  // Reports a missing folder now, not after twenty minutes.
  for (const folder of options.images) await truthOf(folder, options.truth);
  if (options.compare !== null) return compareTrees(options, options.compare);
  const startedAt = new Date();
  if (profiles !== null) await mkdir(profiles, { recursive: true });
  const before = oneMinuteLoad();
  const lines = await measure(options.only, {
    runs,
    scale: quick ? 0.2 : 1,
    images: options.images,
    truth: options.truth,
    profiles,
    progress: (text) => void process.stderr.write(`${text}\n`),
  });
  if (profiles !== null) await writeFile(join(profiles, 'summary.txt'), await summarizeProfiles(profiles));
  const on = machine();
  const load = { before, after: oneMinuteLoad() };
  const results = lines.map((line) => ({ ...line, ratio: ratioOf(line), verdict: verdictOf(line) }));
  const file = await writeFigures(options, startedAt, { machine: on, load, results });
  process.stdout.write(
    `\n${table(lines)}\n${runs} interleaved runs${quick ? ', quick' : ''}; Node ${on.node}, ${on.cores} cores (${on.cpu}), ` +
      `1-minute load ${load.before} before, ${load.after} after\nfigures: ${file}\n`,
  );
  const broken = lines.filter(isBroken);
  if (options.strict && broken.length > 0) {
    process.stderr.write(`${broken.length} ratio(s) miss their goal by more than ${slack}x\n`);
    process.exitCode = 1;
  }
});

if (import.meta.main) await orExplain(bench);
