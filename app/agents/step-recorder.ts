import type { StepFinished, StepSink, StepStarted } from '#graphs/run/step-sink.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { descriptionUpserted, ocrCreated, segmentationCreated, stepChanged } from '#src/domain/events/realtime.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import type { StepStore } from '#src/stores/steps.ts';
import type { ResultStore } from '#src/stores/results.ts';

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
    nodeId: step.path,
    type: step.type,
    node: `${step.type}@${step.typeVersion}`,
    attempt: step.attempt,
    status: step.status,
    startedAt: step.startedAt,
    finishedAt: finished?.finishedAt ?? null,
    ms: finished?.ms ?? null,
    inputPreview: step.inputPreview,
    outputPreview: finished === null || finished.outputPreview === '' ? null : finished.outputPreview,
    outputDigest: finished?.outputDigest ?? null,
    modelLabel: finished?.modelLabel ?? null,
    cachedFrom: finished?.cachedFrom ?? null,
    usage: finished?.usage ?? null,
    error: finished?.error ?? null,
  };
}

/** Longest delay before steps of a run are written together. */
const lingerMs = 25;

/**
 * Writes a run's steps and announces them on the realtime log, asynchronously: nodes do not wait, and a fast run costs one write. `flush`
 * resolves when all steps are stored, and throws when one could not be stored.
 */
export class StepRecorder implements StepSink {
  readonly #run: RunRecord;
  readonly #parts: RecorderParts;
  readonly #onProgress: () => void;
  readonly #steps = new Map<string, StepRecord>();
  readonly #events: RealtimeEvent[] = [];
  /** Steps that have ended, in that order. Those of earlier leases come first. */
  readonly #ended: Map<string, StepRecord>;
  /** The first superstep in which a node succeeded. */
  #succeededIn = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    run: RunRecord,
    parts: RecorderParts,
    { earlier, onProgress }: { readonly earlier: readonly StepRecord[]; readonly onProgress: () => void },
  ) {
    this.#run = run;
    this.#parts = parts;
    this.#onProgress = onProgress;
    this.#ended = new Map(earlier.map((step) => [step._id, step]));
  }

  /** Outcomes of the run's nodes, for its receipt. */
  ended(): readonly StepRecord[] {
    return [...this.#ended.values()];
  }

  /**
   * Wraps the store so that the realtime log announces the results of this run. Announces only results that the store saved: a step whose
   * outcome came from the cache made none.
   */
  hearing(results: ResultStore): ResultStore {
    const run = this.#run;
    return {
      ...results,
      saveOcr: async (origin, result) => {
        const saved = await results.saveOcr(origin, result);
        this.#announce(ocrCreated(run, origin.nodeId, saved));
        return saved;
      },
      saveDescription: async (origin, result) => {
        const saved = await results.saveDescription(origin, result);
        this.#announce(descriptionUpserted(run, origin.nodeId, saved));
        return saved;
      },
      saveSegmentation: async (origin, result) => {
        const saved = await results.saveSegmentation(origin, result);
        this.#announce(segmentationCreated(run, origin.nodeId, saved));
        return saved;
      },
    };
  }

  started(step: StepStarted): void {
    // A later superstep begins after the results of the previous one went to its checkpoint.
    if (this.#succeededIn < step.superstep) this.#onProgress();
    this.#record(toRecord(this.#run, step));
  }

  finished(step: StepFinished, cause?: unknown): void {
    if (step.status === 'succeeded') this.#succeededIn = Math.min(this.#succeededIn, step.superstep);
    if (step.status === 'failed')
      this.#parts.logger.warn({ err: cause, nodeId: step.path, code: step.error?.code }, 'step failed');
    const record = toRecord(this.#run, step);
    if (step.status !== 'waiting') this.#ended.set(record._id, record);
    this.#record(record);
  }

  flush(): Promise<void> {
    this.#write();
    return this.#writing;
  }

  #record(record: StepRecord): void {
    this.#steps.set(record._id, record);
    this.#announce(stepChanged(this.#run, record));
  }

  /** The realtime feed tells nothing of runs of experiments. */
  #announce(event: RealtimeEvent): void {
    if (this.#run.experiment === undefined) this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#write(), lingerMs);
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#events.length === 0 && this.#steps.size === 0) return;
    const records = [...this.#steps.values()];
    this.#steps.clear();
    const written = Promise.all([
      this.#writing,
      this.#parts.steps.save(records),
      this.#parts.events.append(this.#events.splice(0)),
    ]);
    this.#writing = written.then(() => undefined);
    // `flush` throws this error. Until then the rejection must not count as unhandled.
    this.#writing.catch(() => undefined);
  }
}
