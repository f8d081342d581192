import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishAddresses } from '#app/compose/addresses.ts';
import { experiment as program } from '#scripts/experiment.ts';
import { openModelLab, type ModelLab, type Spell } from '#test/experiments/support/model-lab.ts';
import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { runCommand } from '#test/support/command.ts';
import type { Behaviour } from '#test/support/servers/openai-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { verifies } from '#test/support/verifies.ts';

let lab: ModelLab;
beforeAll(async () => {
  lab = await openModelLab({ held: 50, dev: 6, env: { RUN_CONCURRENCY: '16' } });
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

const answered = (status: number): Behaviour => ({ status, headers: { 'retry-after': '0' }, body: '{"error":{}}' });
const always =
  (behaviour: Behaviour): Spell =>
  () =>
    behaviour;

/** The experiment as an older version left it: lost runs had the worst score, and were equal on both sides. */
async function asOlderVersion(experimentId: string): Promise<void> {
  const stored = await collectionsIn(lab.app.dataDir);
  const scores = JSON.stringify({ exact: { value: 0, quality: 0, note: 'The run failed.' } });
  await stored.experimentCells.updateMany({ experimentId }, { $set: { scores }, $unset: { failure: '', repeats: '' } });
  const result = JSON.parse((await stored.experiments.findOne({ _id: experimentId }))?.result ?? '');
  const [{ lost: _lost, ...comparison }] = result.comparisons;
  const { failures: _failures, ...older } = result;
  const sentence = 'No difference that matters.';
  const changed = { ...older, comparisons: [{ ...comparison, verdict: 'equivalent', sentence }] };
  await stored.experiments.updateOne({ _id: experimentId }, { $set: { result: JSON.stringify(changed) } });
  await stored.close();
}

verifies(
  'experiments.lost.no_verdict',
  async () => {
    lab.cast(always(answered(401)));
    const got = await lab.compared();
    expect(got).toMatchObject({
      verdict: 'no_verdict',
      sentence: 'v1: No verdict: 100 of 100 runs failed: the model refused the key.',
      runs: { done: 100, failed: 100, lost: 100 },
      comparisons: [{ verdict: 'no_verdict', n: 50, lost: 50 }],
    });
    expect(got.failures).toEqual(
      ['baseline', 'v1'].map((variant) => `${variant}: 50 runs lost: the model refused the key`),
    );
    const refused = await lab.publish();
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'workflow.gate_unmet', experimentId: got.experimentId, runExperiment: { split: 'holdout' } },
    });
    expect(refused.body.detail).toContain('100 of 100 runs failed: the model refused the key');

    const agent = await modernClient(new URL('/mcp', lab.app.addresses.mcp), lab.app.seed.agentKey);
    const told: any = await agent.callTool({
      name: 'get_experiment',
      arguments: { experimentId: got.experimentId },
    });
    await agent.close();
    expect(told.structuredContent).toMatchObject({ verdict: 'no_verdict', runs: { lost: 100 } });
    expect(JSON.stringify(told.content)).toContain('Remove the cause');

    await asOlderVersion(got.experimentId);
    const path = `/api/dashboard/experiments/${got.experimentId}`;
    const older = await lab.app.call('GET', path, { cookie: lab.cookie });
    expect(older).toMatchObject({ status: 200, body: { verdict: 'equivalent', failures: [] } });
    const stillRefused = await lab.publish();
    expect(stillRefused).toMatchObject({ status: 409, body: { code: 'workflow.gate_unmet' } });
    expect(stillRefused.body.detail).toContain('100 of 100 runs failed: the model refused the key');
  },
  { timeout: 180_000 },
);

test.each([
  [403, 'the model refused the key'],
  [404, 'the model was not found'],
  [429, 'the model limited the requests'],
  [500, 'the model failed'],
] as const)(
  'runs whose model answers with status %i give no verdict, and say so',
  async (status, reason) => {
    lab.cast(always(answered(status)));
    const got = await lab.compared({ split: 'dev' });
    expect(got).toMatchObject({
      verdict: 'no_verdict',
      sentence: `v1: No verdict: 12 of 12 runs failed: ${reason}.`,
      runs: { failed: 12 },
    });
    expect(got.runs.repeated).toBeGreaterThan(0);
  },
  60_000,
);

test('npm run experiment ends with 4 when there is no verdict, and says what failed', async () => {
  lab.cast(always(answered(401)));
  await using published = await publishAddresses(lab.app.dataDir, lab.app.addresses);
  expect(published).toBeDefined();
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const { datasetId: dataset, variants, evaluator } = lab;
  await writeFile(join(folder, 'x.json'), JSON.stringify({ dataset, variants, evaluators: [evaluator] }));
  const env = { env: { DATA_DIR: lab.app.dataDir } };
  const said = await runCommand(program, [join(folder, 'x.json')], env);
  await rm(folder, { recursive: true });
  expect(said.code, said.err).toBe(4);
  expect(said.out).toMatch(/^v1: No verdict: 12 of 12 runs failed: the model refused the key\./);
  expect(said.out).toContain('baseline: 6 runs lost: the model refused the key\n');
}, 60_000);

test('a search chooses no winner among failures, and does not look at the holdout', async () => {
  lab.cast(always(answered(401)));
  const { workflowId, datasetId, evaluator } = lab;
  const set = (prompt: string) => ({ operations: [{ op: 'set_config', nodeId: 'ask', config: { prompt } }] });
  const candidates = [set('Well? {{ document.width }} One.'), set('Well? {{ document.width }} Two.')];
  const { experiment } = await lab.made('experiments/searches', {
    workflowId,
    datasetId,
    evaluators: [evaluator],
    candidates,
  });
  const got = await endedExperiment(lab.app, lab.cookie, experiment.experimentId);
  expect(got).toMatchObject({ verdict: 'no_verdict', confirmation: null, draftRevision: null });
  expect(got.sentence).toMatch(
    /^c\d, on dev: No verdict: 12 of 12 runs failed: the model refused the key\. The holdout was not/,
  );
}, 60_000);

verifies(
  'experiments.lost.one_sided',
  async () => {
    await using slow = await openModelLab({
      held: 50,
      dev: 5,
      node: { timeoutMs: 3_000 },
      env: { RUN_CONCURRENCY: '16' },
    });
    slow.cast(({ isDraft, place }) => (isDraft && place % 10 < 3 ? 'hang' : null));
    const got = await slow.compared();
    expect(got).toMatchObject({ verdict: 'no_verdict', variants: [{ failed: 0 }, { name: 'v1' }] });
    expect(got.sentence).toMatch(
      /^v1: No verdict: \d\d of 100 runs failed: a step took too long \(baseline 0 of 50, v1 \d\d of 50\)\.$/,
    );
    expect((await slow.publish()).status).toBe(409);
  },
  { timeout: 180_000 },
);

verifies(
  'experiments.lost.repeated',
  async () => {
    const calls = new Map<string, number>();
    // A run asks three times by itself. One document is lost for good, nine are answered when their run is repeated.
    lab.cast(({ isDraft, place }) => {
      if (!isDraft || place >= 10) return null;
      const asked = (calls.get(String(place)) ?? 0) + 1;
      calls.set(String(place), asked);
      return place === 3 || asked <= 3 ? answered(500) : null;
    });
    const got = await lab.compared();
    expect(got).toMatchObject({
      verdict: 'worse',
      runs: { done: 100, failed: 1, lost: 1, repeated: 11 },
      comparisons: [{ n: 50, lost: 1 }],
    });
    expect(got.sentence).toContain(
      '1 of 50 items were lost; the verdict is the same whatever they would have been. Reason: 1 of 100 runs failed: the model failed (baseline 0 of 50, v1 1 of 50).',
    );
    expect((await lab.publish()).body.detail).toContain('Worse');
  },
  { timeout: 180_000 },
);

test('a run that goes on after its model was away is no observation either', async () => {
  await using goesOn = await openModelLab({ held: 50, dev: 5, node: { onError: 'continue' } });
  goesOn.cast(always(answered(401)));
  const got = await goesOn.compared();
  expect(got).toMatchObject({
    verdict: 'no_verdict',
    sentence: 'v1: No verdict: 100 of 100 runs failed: the model refused the key.',
  });
  expect(await goesOn.publish()).toMatchObject({ status: 409 });
}, 180_000);
