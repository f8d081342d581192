import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { siege, type SiegeLine } from '#scripts/siege/main.ts';

const usage = helpText({
  usage: 'npm run siege [-- options]',
  does: 'Attacks a service of its own, one attack after the other, and measures what an ordinary tenant beside it sees: the time of its requests, the time until its scans are read, failures, and memory of the service, before and under each attack.',
  options: [
    ['--seconds <n>', 'time of each attack; default: 10'],
    ['--only <part of a name>', 'these attacks only; may be repeated; default: all'],
  ],
  examples: ['npm run siege', 'npm run siege -- --seconds 3 --only upload'],
});

/** Goals: the tenant's slowest requests under an attack against the quiet, and the memory of the service. */
const mostSlower = 3;
const mostMemory = 1.5;

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
const seconds = (value: number): string => `${(value / 1_000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;

/** Reports a line; answers true when it meets the goals. */
function show(
  { attack, isOnPages, busy, quiet, under, reading, quietBytes, underBytes, statuses }: SiegeLine,
  out: (text: string) => void,
): boolean {
  const slower = under.p99 / quiet.p99;
  const memory = underBytes / quietBytes;
  const failures = under.failed + under.limited + reading.under.failed;
  const longer = reading.under.p50 / reading.quiet.p50;
  const isQuick = busy || (slower <= mostSlower && memory <= mostMemory && !(isOnPages && longer > mostSlower));
  const held = isQuick && failures === 0;
  out(`${held ? 'held' : 'MISSED'}  ${attack}\n`);
  out(
    `        p50 ${milliseconds(quiet.p50)} -> ${milliseconds(under.p50)}, p99 ${milliseconds(quiet.p99)} -> ${milliseconds(under.p99)} (${slower.toFixed(1)} x), ` +
      `${under.failed} failed, ${under.limited} limited of ${under.requests}; ${megabytes(quietBytes)} -> ${megabytes(underBytes)} (${memory.toFixed(2)} x)\n`,
  );
  out(
    `        a scan read in ${seconds(reading.quiet.p50)} -> ${seconds(reading.under.p50)} (${longer.toFixed(1)} x), ` +
      `${reading.under.failed} of ${reading.under.scans} not read\n`,
  );
  const responses = [...statuses].map(([status, count]) => `${count} of ${status || 'no response'}`);
  out(`        the attacker got ${responses.join(', ') || 'nothing'}\n`);
  return held;
}

/** `npm run siege`. */
export const runSiege = withHelp(usage, async ({ args, out, err }) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '10' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  if (!/^[1-9]\d{0,3}$/.test(values.seconds))
    throw new UsageError(`--seconds must be a whole number, 1 or more.\n${usage}`);
  const lines = await siege({
    seconds: Number(values.seconds),
    only: values.only,
    progress: (text) => err(`${text}\n`),
  });
  const held = lines.filter((line) => show(line, out)).length;
  out(`${held} of ${lines.length} attacks held, 1-minute load ${loadavg()[0]?.toFixed(1)}\n`);
  return held === lines.length ? undefined : 1;
});

if (import.meta.main) await orExplain(runSiege);
