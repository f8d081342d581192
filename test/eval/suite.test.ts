import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runJob, type Agent } from '#scripts/eval/job.ts';
import { jobOf, jobs } from '#scripts/eval/jobs.ts';
import { evaluate } from '#scripts/eval/main.ts';
import { modelAgent } from '#scripts/eval/model-agent.ts';
import { EvalWorld } from '#scripts/eval/world.ts';
import { approves, compares, locates, mends } from '#test/eval/policies.ts';
import { shortPolicies } from '#test/eval/short-policies.ts';
import { runCommand } from '#test/support/command.ts';
import { verifies } from '#test/support/verifies.ts';
import { chatAnswer, errorAnswer, startOpenAiServer, toolAnswer } from '#test/support/servers/openai-server.ts';

let world: EvalWorld;
beforeAll(async () => {
  world = await EvalWorld.start();
}, 60_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const idle: Agent = async () => ({ answer: 'Done.', calls: [], tokens: 0 });

/** Costs as measured, with a tenth more tokens: a change of descriptions or answers that costs calls fails here. */
const bounds: readonly (readonly [job: string, agent: Agent, calls: number, tokens: number])[] = [
  ['diagnose-and-mend', mends, 5, 1_050],
  ['mend-in-conflict', mends, 6, 1_200],
  ['classify-extract-review', approves, 6, 5_600],
  ['two-variants-over-8', compares, 3, 2_000],
  ['two-variants-over-100', compares, 4, 19_000],
  ['fact-with-place', locates, 1, 700],
];

describe('a program that knows only what the server tells', () => {
  verifies(
    'mcp.jobs',
    async () => {
      for (const [name, agent, calls, tokens] of bounds) {
        const outcome = await runJob(world, jobOf(name), agent);
        process.stdout.write(`eval ${name}: ${outcome.calls.length} calls, ${outcome.tokens} tokens\n`);
        expect(outcome.problem, `${name}: ${outcome.calls.join(', ')}`).toBeNull();
        expect(outcome.calls.length, name).toBeLessThanOrEqual(calls);
        expect(outcome.tokens, name).toBeLessThanOrEqual(tokens);
      }
    },
    { timeout: 90_000 },
  );

  it.each(shortPolicies)('does %s within its calls', { timeout: 30_000 }, async (name, agent, calls) => {
    const outcome = await runJob(world, jobOf(name), agent);
    expect(outcome.problem, outcome.calls.join(', ')).toBeNull();
    expect(outcome.calls).toHaveLength(calls);
  });

  it('has a policy for each job', () => {
    const known = [...bounds, ...shortPolicies].map(([name]) => name);
    expect(known.toSorted()).toEqual(jobs.map(({ name }) => name).toSorted());
    expect(jobs.length).toBeGreaterThanOrEqual(20);
  });
});

it('counts no job as done by an agent that only says so', { timeout: 60_000 }, async () => {
  // The job over 100 documents differs from that over 8 by their number only.
  for (const job of jobs.filter(({ name }) => name !== 'two-variants-over-100')) {
    const { problem } = await runJob(world, job, idle);
    expect(problem, job.name).not.toBeNull();
  }
});

describe('npm run eval', () => {
  it('lets a model of an OpenAI-compatible server work, and counts its calls and tokens', async () => {
    await using models = await startOpenAiServer({
      chat: [
        ({ body }) => {
          const workflowId = /wf_\w+/.exec(JSON.stringify(body.messages.at(-1)))?.[0];
          return toolAnswer('publish_workflow', { workflowId, baseVersion: 1 });
        },
        chatAnswer('It is published.'),
      ],
    });
    const agent = modelAgent({ baseUrl: models.baseUrl, apiKey: 'sk-test', model: 'served-model' });
    const outcome = await runJob(world, jobOf('publish-a-draft'), agent);
    expect(outcome).toMatchObject({ problem: null, calls: ['publish_workflow'], modelTokens: 240 });
    expect(outcome.tokens).toBeGreaterThan(20);
    expect(outcome.tokens).toBeLessThan(200);
    expect(models.seen[0]?.body.tools.length).toBeGreaterThan(30);
  });

  it('counts a job as failed when the model server refuses', async () => {
    await using models = await startOpenAiServer({ chat: [errorAnswer(401, 'This key is unknown.')] });
    const agent = modelAgent({ baseUrl: models.baseUrl, apiKey: 'none', model: 'none' });
    const { problem, calls } = await runJob(world, jobOf('title-a-document'), agent);
    expect(problem).toContain('This key is unknown.');
    expect(calls).toEqual([]);
  });

  it('stops a model that goes on for ever, and counts its calls', { timeout: 30_000 }, async () => {
    await using models = await startOpenAiServer({ chat: [() => toolAnswer('get_context', {})] });
    const agent = modelAgent({ baseUrl: models.baseUrl, apiKey: 'none', model: 'served-model' });
    const { problem, calls } = await runJob(world, jobOf('title-a-document'), agent);
    expect(problem).toMatch(/recursion limit/i);
    expect(calls.length).toBeGreaterThanOrEqual(30);
    expect(new Set(calls)).toEqual(new Set(['get_context']));
  });

  it('lists the jobs, and names a setting that is missing and a job that is unknown', async () => {
    const listed = await runCommand(evaluate, ['--list']);
    expect(listed.out.match(/^\S+$/gm)).toEqual(jobs.map(({ name }) => name));
    const unset = await runCommand(evaluate, []);
    expect(unset).toMatchObject({ code: 1, err: expect.stringMatching(/^OPENAI_BASE_URL is not set/) });
    expect((await runCommand(evaluate, ['juggle'])).err).toContain('There is no job juggle');
  });

  it(
    'prints success, calls and tokens of each job, and ends with 1 unless all succeed',
    { timeout: 30_000 },
    async () => {
      await using models = await startOpenAiServer({ chat: [chatAnswer('I would rather not.')] });
      const env = { OPENAI_BASE_URL: models.baseUrl, OPENAI_MODEL: 'served-model' };
      const { code, out } = await runCommand(evaluate, ['title-a-document'], { env });
      expect(code).toBe(1);
      expect(out).toMatch(/^job +success +calls +tokens +model tokens\ntitle-a-document +no +0 +0 +120\n/);
      expect(out).toMatch(/\n0 of 1 jobs succeeded\n$/);
    },
  );
});
