import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { orExplain } from '#scripts/cli/with-app.ts';
import { truthOf } from '#scripts/bench/documents/truth.ts';
import { machine, oneMinuteLoad } from '#scripts/bench/machine.ts';
import { readOptions, usage, type Options } from '#scripts/bench/options.ts';
import type { BenchContext, Line } from '#scripts/bench/row.ts';
import { summarizeProfiles } from '#scripts/bench/profiles.ts';
import { rows } from '#scripts/bench/rows.ts';
import { table } from '#scripts/bench/table.ts';
import { isBroken, ratioOf, slack, verdictOf } from '#scripts/bench/verdict.ts';

/** A row that could not be measured is a line of its own: the others still count. */
async function measureAll(options: Options, context: BenchContext): Promise<Line[]> {
  const lines: Line[] = [];
  for (const row of rows) {
    if (options.only.length > 0 && !options.only.includes(row.id)) continue;
    try {
      const progress = (text: string): void => context.progress(`${row.id} ${text}`);
      lines.push(...(await row.measure({ ...context, progress })));
    } catch (error) {
      const note = error instanceof Error ? (error.stack ?? error.message) : String(error);
      lines.push({ id: row.id, what: 'failed', unit: '', ours: null, goal: { of: 'ratio' }, note });
    }
  }
  return lines;
}

async function measure(options: Options): Promise<Line[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'inkgraph-bench-'));
  try {
    return await measureAll(options, {
      runs: options.runs,
      scale: options.quick ? 0.2 : 1,
      images: options.images,
      profiles: options.profiles,
      scratch,
      progress: (text) => void process.stderr.write(`${text}\n`),
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeFigures(options: Options, startedAt: Date, figures: object): Promise<string> {
  const file = options.json ?? join('bench-results', `${startedAt.toISOString().replaceAll(':', '-')}.json`);
  await mkdir(dirname(file), { recursive: true });
  const { quick, runs } = options;
  await writeFile(file, `${JSON.stringify({ startedAt, quick, runs, ...figures }, null, 2)}\n`);
  return file;
}

async function main(): Promise<void> {
  const ids = rows.map((row) => row.id);
  const options = readOptions(process.argv.slice(2), ids);
  if (options.help) return void process.stdout.write(usage);
  const { profiles, quick, runs } = options;
  // Reports a missing folder now, not after twenty minutes.
  for (const folder of options.images) await truthOf(folder);
  const startedAt = new Date();
  if (profiles !== null) await mkdir(profiles, { recursive: true });
  const before = oneMinuteLoad();
  const lines = await measure(options);
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
}

await orExplain(main);
