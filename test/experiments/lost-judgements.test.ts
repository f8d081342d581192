import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureRun, type MeasureParts } from '#app/agents/experiments/measure-run.ts';
import { openModelLab, type ModelLab } from '#test/experiments/support/model-lab.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Score } from '#src/domain/experiments/evaluators/evaluator.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { chatStream } from '#test/support/servers/openai-server.ts';
import { verifies } from '#test/support/verifies.ts';

let lab: ModelLab;
beforeAll(async () => {
  lab = await openModelLab({ held: 5, dev: 25 });
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

const judge = { type: 'llm_judge', name: 'quality', rubric: 'Is it yes?', output: 'answer' };

verifies(
  'experiments.lost.judgements',
  async () => {
    const asked: string[] = [];
    // The judge has no words for what is wrong: those outputs left the comparison, and the rest were equal.
    lab.cast(({ isJudge, raw }) => {
      if (!isJudge || !/>\\nno\\n</.test(raw)) return null;
      asked.push(raw);
      return chatStream('I would rather not say.');
    });
    const got = await lab.compared({ split: 'dev', evaluators: [judge] });
    const wrong = 7;
    expect(got).toMatchObject({ verdict: 'no_verdict', runs: { failed: 0 }, comparisons: [{ n: 25, lost: wrong }] });
    expect(got.sentence).toBe(
      `v1: No verdict: ${wrong} of 50 judgements by quality failed: the model response does not match its schema (baseline 0 of 25, v1 ${wrong} of 25).`,
    );
    expect(got.failures).toEqual([
      `v1: ${wrong} judgements by quality lost: the model response does not match its schema`,
    ]);
    // An unreadable answer is asked for again, and all of that once more.
    expect(asked.length).toBeGreaterThanOrEqual(4 * wrong);
  },
  { timeout: 180_000 },
);

/** One run, measured by an evaluator that answers so. */
function measured(
  score: () => Promise<Score>,
  { ended = 0, isHopeless = false, status = 'succeeded', code = '' } = {},
) {
  const one = {
    type: 'llm_judge',
    name: 'judge',
    unit: 'points',
    better: 'higher',
    range: [1, 5],
    needs: null,
  } as const;
  const parts: MeasureParts = {
    results: { ocrText: async () => null, segmentationById: async () => null },
    steps: { listOf: async () => [] },
    evaluatorsOf: () => [{ ...one, score }],
  };
  const place = { experimentId: 'xp_a', variant: 'v1', trial: 1, hidden: false };
  const run = { _id: 'run_a', organizationId: 'org_a', documentId: 'doc_a', experiment: place, outputs: {} };
  const error = code === '' ? null : { code, message: 'x' };
  return measureRun(parts, { evaluators: [] } as unknown as ExperimentRecord, {
    run: { ...run, status, error, finishedAt: new Date(Date.now() - ended) } as unknown as RunRecord,
    reference: null,
    signal: new AbortController().signal,
    isHopeless: async () => isHopeless,
  });
}
const failing = (error: Error) => async (): Promise<Score> => {
  throw error;
};
const refused = failing(new AppError('model.refused', 'No.', { reason: 'key_refused' }));
const away = failing(new AppError('model.failed', 'Away.'));

test('a judge that refuses the key is asked again for a while, then its judgement is lost', async () => {
  await expect(measured(refused, { ended: 10_000 })).rejects.toThrow('model.refused');
  const { scores } = await measured(refused, { ended: 30_000 });
  const lost = { code: 'model.refused', reason: 'key_refused' };
  expect(scores['judge']).toMatchObject({ value: null, quality: null, lost });
});

test('nobody waits for a judge once there can be no verdict', async () => {
  await expect(measured(away)).rejects.toThrow('model.failed');
  const { scores } = await measured(away, { isHopeless: true });
  expect(scores['judge']).toMatchObject({ quality: null, lost: { code: 'model.failed' } });
});

test('an evaluator that throws loses its judgement: alike on both sides it would be no difference', async () => {
  const { scores } = await measured(failing(new RangeError('broken')));
  expect(scores['judge']).toMatchObject({ value: null, quality: null, lost: { code: 'service.internal' } });
});

test('a run that failed by itself is judged, and one that the machinery failed is not', async () => {
  const worst = async (): Promise<Score> => ({ value: 1, quality: 0 });
  const own = await measured(worst, { status: 'failed', code: 'expression.failed' });
  expect(own).toMatchObject({ failure: { code: 'expression.failed' }, scores: { judge: { quality: 0 } } });
  const lost = await measured(worst, { status: 'timed_out', code: 'run.timed_out' });
  expect(lost).toMatchObject({ failure: { code: 'run.timed_out' }, scores: { judge: { quality: null } } });
});
