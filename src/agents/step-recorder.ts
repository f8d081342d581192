import type { StepFinished, StepSink, StepStarted } from '#graphs/step-sink.ts';
import type { EventLog } from '#src/domain/ports/event-log.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { StepRecord, StepStore } from '#src/domain/ports/steps.ts';
import { resultStored, stepChanged } from '#src/domain/events/realtime.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

export interface RecorderParts {
  readonly steps: StepStore;
  readonly events: EventLog;
  readonly logger: Logger;
}

function toRecord(run: RunRecord, step: StepStarted | StepFinished): StepRecord {
  const finished = 'finishedAt' in step ? step : null;
  return {
    _id: step.stepId,
    runId: step.runId,
    fence: run.fence,
    organizationId: run.organizationId,
    projectId: run.projectId,
    nodeId: step.nodeId,
    type: step.type,
    attempt: step.attempt,
    status: step.status,
    startedAt: step.startedAt,
    finishedAt: finished?.finishedAt ?? null,
    ms: finished?.ms ?? null,
    inputPreview: step.inputPreview,
    outputPreview: finished === null || finished.outputPreview === '' ? null : finished.outputPreview,
    usage: finished?.usage ?? null,
    error: finished?.error ?? null,
  };
}

/**
 * Writes a run's steps and tells the realtime log, behind the run: nodes do not wait for it. `flush` ends when all is stored, and
 * throws when something could not be.
 */
export class StepRecorder implements StepSink {
  readonly #run: RunRecord;
  readonly #parts: RecorderParts;
  readonly #onProgress: () => void;
  #pending: Promise<unknown>[] = [];
  /** The first superstep in which a node succeeded. */
  #succeededIn = Number.POSITIVE_INFINITY;

  constructor(run: RunRecord, parts: RecorderParts, onProgress: () => void) {
    this.#run = run;
    this.#parts = parts;
    this.#onProgress = onProgress;
  }

  started(step: StepStarted): void {
    // A later superstep begins when the results of the one before were handed to its checkpoint.
    if (this.#succeededIn < step.superstep) this.#onProgress();
    this.#record(toRecord(this.#run, step));
  }

  finished(step: StepFinished, cause?: unknown): void {
    if (step.status === 'succeeded') this.#succeededIn = Math.min(this.#succeededIn, step.superstep);
    if (step.status === 'failed')
      this.#parts.logger.warn({ err: cause, nodeId: step.nodeId, code: step.error?.code }, 'step failed');
    this.#record(toRecord(this.#run, step));
  }

  async flush(): Promise<void> {
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
  }

  #record(record: StepRecord): void {
    const { steps, events } = this.#parts;
    const stored = resultStored(this.#run, record);
    const changed = stepChanged(this.#run, record);
    const writes = [steps.save([record]), events.append(stored === null ? [changed] : [changed, stored])];
    for (const write of writes) {
      // Told by flush; a rejection must not go unhandled until then.
      write.catch(() => undefined);
      this.#pending.push(write);
    }
  }
}
