import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { runJob, type Job, type Outcome } from '#scripts/eval/job.ts';
import { jobs } from '#scripts/eval/jobs.ts';
import { modelAgent } from '#scripts/eval/model-agent.ts';
import { EvalWorld } from '#scripts/eval/world.ts';

const usage = helpText({
  usage: 'npm run eval -- [options] [job ...]',
  does: 'Lets a model do jobs of an agent over MCP, on a fresh data folder, and prints success, calls and tokens of each. Ends with 1 unless all jobs succeed.',
  options: [
    ['--list', 'names and tasks of the jobs'],
    ['--json', 'a line of JSON for each job, with calls and answer'],
  ],
  environment: [
    ['OPENAI_BASE_URL', 'server with /chat/completions; required'],
    ['OPENAI_MODEL', 'model that calls tools; required'],
    ['OPENAI_API_KEY', 'default: none'],
  ],
  examples: ['npm run eval -- --list', 'OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 npm run eval'],
});

function chosen(names: readonly string[]): readonly Job[] {
  const unknown = names.find((name) => !jobs.some((job) => job.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no job ${unknown}. npm run eval -- --list names them.`);
  return names.length === 0 ? jobs : jobs.filter(({ name }) => names.includes(name));
}

function setting(env: Terminal['env'], name: string): string {
  const value = env[name] ?? '';
  if (value === '') throw new UsageError(`${name} is not set.\n${usage}`);
  return value;
}

const row = (cells: readonly string[]): string =>
  cells
    .map((cell, place) => (place === 0 ? cell.padEnd(28) : cell.padStart(14)))
    .join('')
    .concat('\n');

function said({ job, problem, calls, tokens, modelTokens }: Outcome): string {
  const line = row([
    job,
    problem === null ? 'yes' : 'no',
    String(calls.length),
    String(tokens),
    String(modelTokens ?? ''),
  ]);
  return problem === null ? line : `${line}  ${problem.slice(0, 300)}\n`;
}

/** `npm run eval`: lets a model do the jobs, and says what they cost. */
export const evaluate = withHelp(usage, async ({ args, env, out }) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const selected = chosen(positionals);
  if (values.list) return out(selected.map(({ name, task }) => `${name}\n  ${task}\n`).join(''));
  const agent = modelAgent({
    baseUrl: setting(env, 'OPENAI_BASE_URL'),
    model: setting(env, 'OPENAI_MODEL'),
    apiKey: env['OPENAI_API_KEY'] ?? 'none',
  });
  await using world = await EvalWorld.start();
  if (!values.json) out(row(['job', 'success', 'calls', 'tokens', 'model tokens']));
  let done = 0;
  for (const job of selected) {
    const outcome = await runJob(world, job, agent);
    if (outcome.problem === null) done += 1;
    out(values.json ? `${JSON.stringify(outcome)}\n` : said(outcome));
  }
  if (!values.json) out(`${done} of ${selected.length} jobs succeeded\n`);
  return done === selected.length ? 0 : 1;
});

if (import.meta.main) await orExplain(evaluate);
