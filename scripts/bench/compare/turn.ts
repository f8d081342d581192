/** One turn of `--compare` in one tree: measures its side alone, and writes the lines to a file. */
import { writeFile } from 'node:fs/promises';
import { measure } from '#scripts/bench/measure.ts';

export interface TurnJob {
  readonly rows: readonly string[];
  readonly runs: number;
  readonly scale: number;
  readonly images: readonly string[];
  readonly truth?: string | null;
  readonly out: string;
}

const { rows, runs, scale, images, truth = null, out } = JSON.parse(process.argv[2] ?? '{}') as TurnJob;
const lines = await measure(rows, {
  runs,
  scale,
  images,
  truth,
  profiles: null,
  peers: false,
  progress: (text) => void process.stderr.write(`  ${text}\n`),
});
await writeFile(out, JSON.stringify(lines));
