import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from '#scripts/bench/compare/other-tree.ts';
import { compareRounds, failuresOf, type Comparison, type Round } from '#scripts/bench/compare/ratios.ts';
import type { TurnJob } from '#scripts/bench/compare/turn.ts';
import { median } from '#scripts/bench/figures.ts';
import type { Options } from '#scripts/bench/options.ts';
import type { Line } from '#scripts/bench/row.ts';
import { columnsOf, short } from '#scripts/bench/table.ts';

/** Rows that are compared unless others are named: requests, runs and calls of agents. */
const usualRows = ['G1', 'G2', 'G4', 'M1', 'M2'];
/** Measured runs of a turn, after one for warmth. */
const runsOfTurn = 2;

/** Processes of the tree in `folder`, until they have written their lines. */
async function turn(folder: string, job: Omit<TurnJob, 'out'>): Promise<Line[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'inkgraph-turn-'));
  try {
    const out = join(scratch, 'lines.json');
    const program = join(folder, 'scripts/bench/compare/turn.ts');
    const args = ['--disable-warning=ExperimentalWarning', program, JSON.stringify({ ...job, out })];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the benchmark in ${folder} ended with code ${code}`);
    return JSON.parse(await readFile(out, 'utf8')) as Line[];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

export interface Compared {
  readonly commit: string;
  readonly comparisons: readonly Comparison[];
  readonly failures: readonly string[];
}

/** Measures the working tree and a commit in turns. The tree that begins changes from round to round. */
export async function compareWith(commit: string, options: Options): Promise<Compared> {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const tell = (text: string): void => void process.stderr.write(`${text}\n`);
  tell(`checking ${commit} out, and installing its dependencies`);
  await using other = await checkOut(root, commit);
  const job = {
    rows: options.only.length > 0 ? options.only : usualRows,
    runs: runsOfTurn,
    scale: options.quick ? 0.2 : 1,
    images: options.images,
    truth: options.truth,
  };
  const rounds: Round[] = [];
  while (rounds.length < options.runs) {
    const lines: Partial<Record<'here' | 'there', Line[]>> = {};
    for (const side of rounds.length % 2 === 0 ? (['here', 'there'] as const) : (['there', 'here'] as const)) {
      tell(`round ${rounds.length + 1} of ${options.runs}: ${side === 'here' ? 'working tree' : other.commit}`);
      lines[side] = await turn(side === 'here' ? root : other.folder, job);
    }
    rounds.push({ here: lines.here ?? [], there: lines.there ?? [] });
  }
  return { commit: other.commit, comparisons: compareRounds(rounds), failures: failuresOf(rounds) };
}

/** A Markdown table. The spread is the lowest and the highest ratio of a round. */
export function comparisonTable({ commit, comparisons, failures }: Compared): string {
  const heads = ['row', 'what', 'unit', 'here', commit, 'ratio', 'spread', ''];
  const rows = comparisons.map(({ id, what, unit, here, there, ratios, judgment }) => {
    const sorted = ratios.toSorted((a, b) => a - b);
    const spread = `${short(sorted[0])} to ${short(sorted.at(-1))}`;
    return [
      id,
      what,
      unit,
      short(here),
      short(there),
      short(median(ratios)),
      spread,
      judgment === 'same' ? '' : judgment,
    ];
  });
  const notes = failures.map((note) => `  ${note}`);
  return [...columnsOf([heads, ...rows]), ...(notes.length === 0 ? [] : ['', ...notes]), ''].join('\n');
}
