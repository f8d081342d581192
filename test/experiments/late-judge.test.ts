import { expect, test } from 'vitest';
import { measureRun, type MeasureParts } from '#app/agents/experiments/measure-run.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

const away = async (): Promise<never> => {
  throw new AppError('model.failed', 'The model answers with status 503.');
};
const judge = {
  type: 'llm_judge',
  name: 'llm_judge',
  unit: 'points',
  better: 'higher',
  range: [1, 5],
  needs: null,
  score: away,
} as const;
const parts: MeasureParts = {
  results: { ocrText: async () => null, segmentationById: async () => null },
  steps: { listOf: async () => [] },
  evaluatorsOf: () => [judge],
};

const measured = (minutesAgo: number) => {
  const place = { experimentId: 'xp_a', variant: 'v1', trial: 1, hidden: false };
  const finishedAt = new Date(Date.now() - minutesAgo * 60_000);
  const run = { _id: 'run_a', organizationId: 'org_a', documentId: 'doc_a', experiment: place, outputs: {} };
  return measureRun(parts, { evaluators: [] } as unknown as ExperimentRecord, {
    run: { ...run, status: 'succeeded', error: null, finishedAt } as unknown as RunRecord,
    reference: null,
    signal: new AbortController().signal,
  });
};

test('a model that is away is asked again for a quarter of an hour, then the run stays without a score', async () => {
  await expect(measured(14)).rejects.toThrow('503');
  const { scores } = await measured(16);
  expect(scores['llm_judge']).toMatchObject({ value: null, quality: null });
  expect(scores['llm_judge']?.note).toContain('503');
});
