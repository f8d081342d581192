import { descriptionUpserted, ocrCreated, segmentationCreated, stepChanged } from '#src/domain/events/realtime.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { StepStore } from '#src/stores/steps.ts';

export interface LastEventsParts {
  readonly executions: Pick<ExecutionStore, 'findRun'>;
  readonly steps: Pick<StepStore, 'listOf'>;
  readonly results: Pick<ResultStore, 'ocrText' | 'descriptionById' | 'segmentationById' | 'idsOf'>;
}

/** Events of the results that a step stored. */
async function resultEventsOf(
  run: RunRecord,
  { nodeId, type }: StepRecord,
  { results }: Pick<LastEventsParts, 'results'>,
): Promise<RealtimeEvent[]> {
  const { organizationId, projectId, documentId, _id: runId } = run;
  const ids = results.idsOf({ organizationId, projectId, documentId, runId, nodeId });
  if (type === 'ocr') {
    const found = await results.ocrText(organizationId, ids.ocr);
    return found === null ? [] : [ocrCreated(run, nodeId, found)];
  }
  if (type === 'describe') {
    const found = await results.descriptionById(organizationId, ids.description);
    return found === null ? [] : [descriptionUpserted(run, nodeId, found)];
  }
  if (type !== 'segment') return [];
  const found = await results.segmentationById(organizationId, ids.segmentation);
  return found === null ? [] : [segmentationCreated(run, nodeId, found)];
}

/** Events of the steps of an ended run, in their order: those of the last moment are announced with its end. */
export async function lastEventsOf(
  { _id, organizationId, projectId }: RunRecord,
  { executions, steps, results }: LastEventsParts,
): Promise<RealtimeEvent[]> {
  const run = await executions.findRun({ organizationId, projectIds: [projectId] }, _id);
  if (run === null) return [];
  const events: RealtimeEvent[] = [];
  for (const step of await steps.listOf(run)) {
    // Results of drafts are their own.
    if (run.draft === undefined) events.push(...(await resultEventsOf(run, step, { results })));
    events.push(stepChanged({ ...run, fence: step.fence }, step));
  }
  return events;
}
