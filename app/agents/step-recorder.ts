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

/** How long steps of a run may wait for each other before they are written. */
const lingerMs = 25;

/**
 * Writes a run's steps and tells the realtime log, behind the run: nodes do not wait for it, and a fast run costs one write.
 * `flush` ends when all is stored, and throws when something could not be.
 */
export class StepRecorder implements StepSink {
  readonly #run: RunRecord;
  readonly #parts: RecorderParts;
  readonly #onProgress: () => void;
  readonly #steps = new Map<string, StepRecord>();
  readonly #events: RealtimeEvent[] = [];
  /** Steps that have ended, in that order, those of earlier leases first. */
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

  /** What became of the run's nodes, for its receipt. */
  ended(): readonly StepRecord[] {
    return [...this.#ended.values()];
  }

  /**
   * The store, telling the realtime log what this run saves. The store knows the row, and only what was saved is told: a step whose
   * outcome was taken from the cache made nothing.
   */
  hearing(results: ResultStore): ResultStore {
    const run = this.#run;
    return {
      ...results,
      saveOcr: async (origin, result) => {
        const saved = await results.saveOcr(origin, result);
        this.#tell(ocrCreated(run, origin.nodeId, saved));
        return saved;
      },
      saveDescription: async (origin, result) => {
        const saved = await results.saveDescription(origin, result);
        this.#tell(descriptionUpserted(run, origin.nodeId, saved));
        return saved;
      },
      saveSegmentation: async (origin, result) => {
        const saved = await results.saveSegmentation(origin, result);
        this.#tell(segmentationCreated(run, origin.nodeId, saved));
        return saved;
      },
    };
  }

  started(step: StepStarted): void {
    // A later superstep begins when the results of the one before were handed to its checkpoint.
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
    this.#tell(stepChanged(this.#run, record));
  }

  #tell(event: RealtimeEvent): void {
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#write(), lingerMs);
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#events.length === 0) return;
    const records = [...this.#steps.values()];
    this.#steps.clear();
    const written = Promise.all([
      this.#writing,
      this.#parts.steps.save(records),
      this.#parts.events.append(this.#events.splice(0)),
    ]);
    this.#writing = written.then(() => undefined);
    // Told by flush; a rejection must not go unhandled until then.
    this.#writing.catch(() => undefined);
  }
}
