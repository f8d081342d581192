import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { UsageError, orExplain } from '#scripts/cli/with-app.ts';
import { chaosOfExecutions, type ExecutionOutcome } from '#scripts/chaos/executions.ts';
import { killInLongDocument } from '#scripts/chaos/long-document.ts';
import { chaos, type Outcome } from '#scripts/chaos/main.ts';

const usage = helpText({
  usage: [
    'npm run chaos [-- options]',
    'npm run chaos -- --processes [options]',
    'npm run chaos -- --workers <n> --executions <n> [options]',
    'npm run chaos -- --pages <n>',
  ],
  does: 'Kills the whole service with kill -9 at random moments while scans come in, pauses it once for 30 s, then counts what is stored. Ends with 1 when a promise is broken.',
  options: [
    [
      '--processes',
      'kills the process of the API and that of the agents service in turn, which their supervisor starts again',
    ],
    ['--uploads <n>', 'scans; default: 50'],
    [
      '--workers <n>',
      'kills one of so many workers at a time, and counts every effect of their executions; default: 3',
    ],
    ['--executions <n>', 'executions of the workers; default: 200'],
    ['--lease <ms>', 'lease of the workers; default: 10000'],
    ['--kills <n>', 'default: 20'],
    ['--pauses <n>', 'pauses of the process that runs the database, among the kills; default: 1, 0: none'],
    ['--pause <seconds>', 'length of a pause; default: 30'],
    ['--seed <n>', 'chooses files and moments; default: random'],
    ['--pages <n>', 'kills the worker that reads a document of so many pages once 3 of 5 pages are stored'],
    ['--minutes <n>', 'time limit; default: 10, with --workers 5'],
  ],
  examples: ['npm run chaos', 'npm run chaos -- --workers 3 --executions 200'],
});

function whole(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--${name} must be a whole number, 1 or more.\n${usage}`);
  return Number(text);
}

const line = (text: string): void => void process.stdout.write(`${text}\n`);

function printViolations({ violations, dataDir }: Pick<Outcome, 'violations' | 'dataDir'>): void {
  line(`promises broken        ${violations.length}`);
  for (const violation of violations) line(`  ${violation}`);
  if (violations.length > 0) line(`data folder kept: ${dataDir}`);
}

/** Also holds the outcome to the time that the API may be silent; answers what it breaks of all. */
function printOutcome(outcome: Outcome): readonly string[] {
  const sorted = outcome.restarts.toSorted((a, b) => a - b);
  line(`uploads acknowledged   ${outcome.uploads}`);
  line(`kills                  ${outcome.kills}`);
  line(`restart after a kill   median ${sorted[Math.floor(sorted.length / 2)]} ms, longest ${sorted.at(-1)} ms`);
  for (const { answers, backMs } of outcome.pauses) {
    const counts = [...answers].map(([status, times]) => `${times} answers ${status}`).join(', ');
    line(`pause                  ${counts}; ready ${backMs} ms after it`);
  }
  const late = outcome.gaps === null ? [] : printGaps(outcome.gaps);
  line(`whole time             ${outcome.seconds.toFixed(1)} s, 1-minute load ${loadavg()[0]?.toFixed(1)}`);
  const violations = [...outcome.violations, ...late];
  printViolations({ violations, dataDir: outcome.dataDir });
  return violations;
}

/** Longest time without an answer of the API, in milliseconds, after a kill of each process. */
const longestGapMs = { front: 3_000, agents: 1_000 } as const;

function printGaps(gaps: NonNullable<Outcome['gaps']>): readonly string[] {
  return (['front', 'agents'] as const).flatMap((name) => {
    const sorted = gaps[name].toSorted((a, b) => a - b);
    const longest = sorted.at(-1) ?? 0;
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const killed = name === 'front' ? 'API' : 'agents';
    line(`API silent             median ${median} ms, longest ${longest} ms, after a kill of the ${killed} process`);
    return longest > longestGapMs[name]
      ? [`the API was silent for over ${longestGapMs[name]} ms after a kill of the ${killed} process`]
      : [];
  });
}

/** Also holds the outcome to the time that recovery may take; answers what it breaks of it. */
function printExecutions(outcome: ExecutionOutcome, leaseMs: number): readonly string[] {
  const sorted = outcome.recoveries.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const within = leaseMs + 1_000;
  const late = median !== undefined && median > within ? [`the median recovery is over ${within} ms`] : [];
  const recovery =
    median === undefined
      ? 'no kill hit a run'
      : `median ${Math.round(median)} ms, longest ${Math.round(sorted.at(-1) ?? 0)} ms, of ${sorted.length} kills that hit runs`;
  line(`executions             ${outcome.executions}, ${outcome.succeeded} succeeded`);
  line(`kills                  ${outcome.kills}; ${outcome.resumed} runs resumed on another worker`);
  line(`recovery               ${recovery} (lease ${leaseMs} ms)`);
  line(`result rows            ${outcome.rows}`);
  line(
    `webhooks               ${outcome.deliveries} stored, ${outcome.delivered} delivered, ${outcome.repeated} came twice`,
  );
  line(`external calls         ${outcome.calls}`);
  line(`whole time             ${outcome.seconds.toFixed(1)} s, 1-minute load ${loadavg()[0]?.toFixed(1)}`);
  const violations = [...outcome.violations, ...late];
  printViolations({ violations, dataDir: outcome.dataDir });
  return violations;
}

async function longDocument(pages: number, progress: (said: string) => void): Promise<void> {
  const killAt = Math.ceil(pages * 0.6);
  const { stored, readAgain, largestStep, seconds, violations } = await killInLongDocument({ pages, killAt, progress });
  line(`pages                  ${pages}, ${stored} stored at the kill, at most ${largestStep} at a time`);
  line(`read again             ${readAgain} stored pages, and at most the one that was being read`);
  line(`whole time             ${seconds.toFixed(1)} s, 1-minute load ${loadavg()[0]?.toFixed(1)}`);
  line(`promises broken        ${violations.length}`);
  for (const violation of violations) line(`  ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}

/** `npm run chaos`. */
export const runChaos = withHelp(usage, async ({ args }) => {
  const text = { type: 'string' } as const;
  const names = {
    uploads: text,
    kills: text,
    seed: text,
    minutes: text,
    workers: text,
    executions: text,
    lease: text,
    pages: text,
    pauses: text,
    pause: text,
  };
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ args: [...args], options: { ...names, processes: flag } });
  const common = {
    kills: whole('kills', values.kills, 20),
    seed: whole('seed', values.seed, 1 + Math.floor(Math.random() * 99_999)),
    progress: (said: string) => void process.stderr.write(`${said}\n`),
  };
  if (values.pages !== undefined) {
    const pages = whole('pages', values.pages, 200);
    const others = Object.keys(values).filter((name) => name !== 'pages' && name !== 'processes');
    if (values.processes || others.length > 0)
      throw new UsageError(`--pages cannot be combined with other options.\n${usage}`);
    await longDocument(pages, common.progress);
    return;
  }
  if (values.workers === undefined && values.executions === undefined) {
    if (values.lease !== undefined) throw new UsageError(`--lease needs --workers and --executions.\n${usage}`);
    const limitMs = whole('minutes', values.minutes, 10) * 60_000;
    const { processes } = values;
    const pauses = {
      count: values.pauses === '0' ? 0 : whole('pauses', values.pauses, 1),
      seconds: whole('pause', values.pause, 30),
    };
    const uploads = whole('uploads', values.uploads, 50);
    const outcome = await chaos({ ...common, uploads, pauses, limitMs, processes });
    if (printOutcome(outcome).length > 0) process.exitCode = 1;
    return;
  }
  if (values.processes) throw new UsageError(`--processes cannot be combined with --executions.\n${usage}`);
  if (values.pauses !== undefined || values.pause !== undefined)
    throw new UsageError(`--pauses and --pause cannot be combined with --executions.\n${usage}`);
  if (values.uploads !== undefined) throw new UsageError(`--uploads cannot be combined with --executions.\n${usage}`);
  const leaseMs = whole('lease', values.lease, 10_000);
  const outcome = await chaosOfExecutions({
    ...common,
    workers: whole('workers', values.workers, 3),
    executions: whole('executions', values.executions, 200),
    leaseMs,
    limitMs: whole('minutes', values.minutes, 5) * 60_000,
  });
  if (printExecutions(outcome, leaseMs).length > 0) process.exitCode = 1;
});

if (import.meta.main) await orExplain(runChaos);
