import type { StepFinished, StepSink, StepStarted } from '#graphs/run/step-sink.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { descriptionUpserted, ocrCreated, segmentationCreated, stepChanged } from '#src/domain/events/realtime.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';
import { StepBuckets } from '#src/domain/runs/step-buckets.ts';
import type { RunEnd } from '#src/stores/run-queue.ts';
import type { ChangedSteps, StepStore } from '#src/stores/steps.ts';
import type { ResultStore } from '#src/stores/results.ts';

export interface RecorderParts {
  readonly steps: StepStore;
  readonly events: EventLog;
  readonly logger: Logger;
  /** Default: 100 ms. */
  readonly lingerMs?: number | undefined;
}

function toRecord(run: RunRecord, step: StepStarted | StepFinished): StepRecord {
  const finished = 'finishedAt' in step ? step : null;
  return {
    _id: step.stepId,
    fence: run.fence,
    nodeId: step.path,
    type: step.type,
    node: `${step.type}@${step.typeVersion}`,
    attempt: step.attempt,
    status: step.status,
    startedAt: step.startedAt,
    finishedAt: finished?.finishedAt ?? null,
    ms: finished?.ms ?? null,
    inputPreview: step.inputPreview,
    ...(finished?.requestPreview !== undefined && { requestPreview: finished.requestPreview }),
    outputPreview: finished === null || finished.outputPreview === '' ? null : finished.outputPreview,
    outputDigest: finished?.outputDigest ?? null,
    modelLabel: finished?.modelLabel ?? null,
    cachedFrom: finished?.cachedFrom ?? null,
    usage: finished?.usage ?? null,
    ...(finished?.toolCalls !== undefined && { toolCalls: finished.toolCalls }),
    error: finished?.error ?? null,
  };
}

type ChangedBuckets = ChangedSteps['buckets'];

/** Longest delay before steps of a run are written together, in milliseconds. */
const usualLingerMs = 100;

const isOver = ({ status }: StepRecord): boolean => status !== 'running' && status !== 'waiting';

/** Steps and events of a run that ends, which are not stored yet. */
export interface Unwritten {
  /** Belongs to the end of the run, in one write with it. */
  readonly end: Pick<RunEnd, 'stepBuckets' | 'steps'>;
  readonly events: readonly RealtimeEvent[];
}

/**
 * Writes a run's steps and announces them on the realtime log, asynchronously: nodes do not wait, and a fast run costs no write of its own,
 * since its steps are stored with its end. `flush` resolves when all steps are stored, and throws when one could not be stored.
 */
export class StepRecorder implements StepSink {
  readonly #run: RunRecord;
  readonly #parts: RecorderParts;
  readonly #onProgress: () => void;
  readonly #buckets = new StepBuckets();
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
    for (const step of earlier) this.#buckets.set(step);
    this.#ended = new Map(earlier.filter(isOver).map((step) => [step._id, step]));
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
    if (isOver(record)) this.#ended.set(record._id, record);
    this.#record(record);
  }

  flush(): Promise<void> {
    this.#write(this.#takeChanged(), this.#events.splice(0));
    return this.#writing;
  }

  /** Stores what the run's own record does not hold. Returns the rest, to be stored with the end of the run. */
  async rest(): Promise<Unwritten> {
    const changed = this.#takeChanged();
    const first = changed.get(0);
    const beside = new Map([...changed].filter(([number]) => number > 0));
    if (beside.size > 0) this.#write(beside, []);
    await this.#writing;
    const stepBuckets = this.#buckets.further;
    return {
      end: { ...(first !== undefined && { steps: first }), ...(stepBuckets > 0 && { stepBuckets }) },
      events: this.#events.splice(0),
    };
  }

  /** Stores what `rest` returned, for a run that somebody else ended. */
  async keep({ end: { steps }, events }: Unwritten): Promise<void> {
    if (steps !== undefined) this.#write(new Map([[0, steps]]), events);
    await this.#writing;
  }

  #record(record: StepRecord): void {
    this.#buckets.set(record);
    this.#announce(stepChanged(this.#run, record));
  }

  /** The realtime feed tells nothing of runs of experiments. */
  #announce(event: RealtimeEvent): void {
    if (this.#run.experiment === undefined) this.#events.push(event);
    this.#timer ??= setTimeout(
      () => this.#write(this.#takeChanged(), this.#events.splice(0)),
      this.#parts.lingerMs ?? usualLingerMs,
    );
  }

  /** Takes the changes since the last call: they need no later write. */
  #takeChanged(): ChangedBuckets {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return this.#buckets.takeChanged();
  }

  #write(buckets: ChangedBuckets, events: readonly RealtimeEvent[]): void {
    if (events.length === 0 && buckets.size === 0) return;
    const further = this.#buckets.further;
    const written = Promise.all([
      this.#writing,
      buckets.size > 0 && this.#parts.steps.save({ run: this.#run, buckets, further }),
      this.#parts.events.append(events),
    ]);
    this.#writing = written.then(() => undefined);
    // `flush` throws this error. Until then the rejection must not count as unhandled.
    this.#writing.catch(() => undefined);
  }
}
