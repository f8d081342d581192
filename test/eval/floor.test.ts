import { afterAll, beforeAll, expect, it } from 'vitest';
import { runJob, type Agent } from '#scripts/eval/job.ts';
import { jobOf } from '#scripts/eval/jobs.ts';
import { EvalWorld } from '#scripts/eval/world.ts';
import { approves, compares, locates, mends } from '#test/eval/policies.ts';

let world: EvalWorld;
beforeAll(async () => {
  world = await EvalWorld.start();
}, 60_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const bounds: readonly (readonly [job: string, agent: Agent, calls: number, tokens: number])[] = [
  ['diagnose-and-mend', mends, 5, 2_000],
  ['mend-in-conflict', mends, 6, 2_200],
  ['classify-extract-review', approves, 9, 20_000],
  ['two-variants-over-8', compares, 5, 4_000],
  ['two-variants-over-100', compares, 12, 60_000],
  ['fact-with-place', locates, 1, 1_000],
];

it.each(bounds)('%s is done within its calls and tokens', { timeout: 60_000 }, async (name, agent, calls, tokens) => {
  const outcome = await runJob(world, jobOf(name), agent);
  process.stdout.write(`${name}: ${outcome.calls.length} calls, ${outcome.tokens} tokens\n`);
  expect(outcome.problem, outcome.calls.join(', ')).toBeNull();
  expect(outcome.calls.length).toBeLessThanOrEqual(calls);
  expect(outcome.tokens).toBeLessThanOrEqual(tokens);
});
