import type { Observation } from '#src/domain/experiments/evaluators/evaluator.ts';
import { failureOfRun } from '#app/agents/experiments/failure-of-run.ts';
import type { Failure } from '#src/domain/experiments/failures.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import type { OcrText, SegmentationResult } from '#src/domain/documents/results.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { StepStore } from '#src/stores/steps.ts';

/** An observation, whether a step took its outcome from the cache, and the failure of the run. */
interface Observed extends Observation {
  readonly cached: boolean;
  readonly failure: Failure | null;
}

interface Parts {
  readonly results: Pick<ResultStore, 'ocrText' | 'segmentationById'>;
  readonly steps: Pick<StepStore, 'listOf'>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const regionsOf = ({ page, segments }: SegmentationResult) =>
  segments.map(({ label, box }) => ({ page, label, box: [...box] }));

/** Adds to outputs that name stored results what evaluators compare: `text` of recognized text, `regions` of a segmentation. */
async function resolved({ results }: Parts, { organizationId, outputs = {} }: RunRecord) {
  const entries = await Promise.all(
    Object.entries(outputs).map(async ([name, value]) => {
      if (!isObject(value)) return [name, value] as const;
      const { ocrResultId, characters, segmentationId } = value;
      if (typeof ocrResultId === 'string' && typeof characters === 'number') {
        const found = await results.ocrText(organizationId, ocrResultId);
        return [name, found === null ? value : { ...value, text: found.text }] as const;
      }
      if (typeof segmentationId !== 'string') return [name, value] as const;
      const found = await results.segmentationById(organizationId, segmentationId);
      return [name, found === null ? value : { ...value, regions: regionsOf(found) }] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function named(outputs: Record<string, unknown>, ocr: OcrText | null): Record<string, unknown> {
  const regions = Object.values(outputs).find((value) => isObject(value) && Array.isArray(value['regions']));
  const classified = Object.values(outputs).find((value) => isObject(value) && typeof value['label'] === 'string');
  return {
    ...(ocr !== null && { text: ocr.text }),
    ...(isObject(classified) && { label: classified['label'] }),
    ...(isObject(regions) && { regions: regions['regions'] }),
    ...outputs,
  };
}

function spent(steps: readonly StepRecord[]): Pick<Observed, 'cached' | 'costUsd' | 'ms'> {
  const cached = steps.some(({ cachedFrom }) => typeof cachedFrom === 'string');
  const fresh = steps.filter(({ cachedFrom }) => typeof cachedFrom !== 'string');
  const costs = fresh.flatMap(({ usage }) => usage?.costUsd ?? []);
  const add = (sum: number, one: number): number => sum + one;
  return {
    cached,
    ms: cached ? null : steps.reduce((sum, { ms }) => sum + (ms ?? 0), 0),
    costUsd: costs.length === 0 ? null : costs.reduce(add, 0),
  };
}

/** Reads what an ended run gave. */
export async function observe(parts: Parts, run: RunRecord): Promise<Observed> {
  const { organizationId, ocrResultId } = run;
  const [ocr, steps, outputs] = await Promise.all([
    ocrResultId === undefined ? null : parts.results.ocrText(organizationId, ocrResultId),
    parts.steps.listOf(run),
    resolved(parts, run),
  ]);
  const status =
    run.status === 'succeeded' || run.status === 'timed_out' || run.status === 'canceled' ? run.status : 'failed';
  const failure = failureOfRun(run, steps);
  return { status, failure, outputs: named(outputs, ocr), ocrConfidence: ocr?.avgConfidence ?? null, ...spent(steps) };
}
