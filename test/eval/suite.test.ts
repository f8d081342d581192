import { afterAll, beforeAll, expect, it } from 'vitest';
import { runJob, type Agent } from '#scripts/eval/job.ts';
import { jobOf, jobs } from '#scripts/eval/jobs.ts';
import { evaluate } from '#scripts/eval/main.ts';
import { modelAgent } from '#scripts/eval/model-agent.ts';
import { EvalWorld } from '#scripts/eval/world.ts';
import { runCommand } from '#test/support/command.ts';
import { chatAnswer, errorAnswer, startOpenAiServer, toolAnswer } from '#test/support/servers/openai-server.ts';

let world: EvalWorld;
beforeAll(async () => {
  world = await EvalWorld.start();
}, 60_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const idle: Agent = async () => ({ answer: 'Done.', calls: [], tokens: 0 });

it('counts no job as done by an agent that only says so', { timeout: 60_000 }, async () => {
  expect(jobs.length).toBeGreaterThanOrEqual(20);
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
  for (const job of jobs) {
    const { problem } = await runJob(world, job, idle);
    expect(problem, job.name).not.toBeNull();
  }
});

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

it('lists the jobs, and names a setting that is missing and a job that is unknown', async () => {
  const listed = await runCommand(evaluate, ['--list']);
  expect(listed.out.match(/^\S+$/gm)).toEqual(jobs.map(({ name }) => name));
  expect(await runCommand(evaluate, [])).toMatchObject({ code: 1, err: expect.stringMatching(/^OPENAI_BASE_URL is not set/) });
  expect((await runCommand(evaluate, ['juggle'])).err).toContain('There is no job juggle');
});
