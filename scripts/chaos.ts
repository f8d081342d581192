import { parseArgs } from 'node:util';
import { UsageError, orExplain } from '#scripts/cli/with-app.ts';
import { chaos, type Outcome } from '#scripts/chaos/main.ts';

const usage = `Usage: npm run chaos [-- --uploads <n>] [--kills <n>] [--seed <n>] [--minutes <n>]
Kills the whole service with kill -9 at random moments while scans come in, then counts what is stored.`;

function whole(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--${name}: expected a whole number, 1 or more.\n${usage}`);
  return Number(text);
}

function tell({ uploads, kills, seconds, restarts, faults, dataDir }: Outcome): void {
  const sorted = restarts.toSorted((a, b) => a - b);
  const line = (text: string): void => void process.stdout.write(`${text}\n`);
  line(`uploads acknowledged   ${uploads}`);
  line(`kills                  ${kills}`);
  line(`back after a kill      median ${sorted[Math.floor(sorted.length / 2)]} ms, longest ${sorted.at(-1)} ms`);
  line(`whole time             ${seconds.toFixed(1)} s`);
  line(`promises broken        ${faults.length}`);
  for (const fault of faults) line(`  ${fault}`);
  if (faults.length > 0) line(`kept for a look: ${dataDir}`);
}

await orExplain(async () => {
  const options = {
    uploads: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
  } as const;
  const { values } = parseArgs({ options });
  const outcome = await chaos({
    uploads: whole('uploads', values.uploads, 50),
    kills: whole('kills', values.kills, 20),
    seed: whole('seed', values.seed, 1 + Math.floor(Math.random() * 99_999)),
    limitMs: whole('minutes', values.minutes, 10) * 60_000,
    progress: (text) => void process.stderr.write(`${text}\n`),
  });
  tell(outcome);
  if (outcome.faults.length > 0) process.exitCode = 1;
});
