import type { StepFinished, StepSink, StepStarted } from '#graphs/run/step-sink.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import {
  descriptionUpserted,
  ocrCreated,
  pagesRead,
  segmentationCreated,
  stepChanged,
} from '#src/domain/events/realtime.ts';
import { Paced } from '#src/concurrency/paced.ts';
import { isApart, type RunReading, type RunRecord } from '#src/domain/runs/run.ts';
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
  /** Least time between two announcements of pages that a run has read. Default: 1 s. */
  readonly pagesRestMs?: number | undefined;
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
    ...(finished?.errorDataPreview !== undefined && { errorDataPreview: finished.errorDataPreview }),
    ...(finished?.errorStackPreview !== undefined && { errorStackPreview: finished.errorStackPreview }),
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
const usualPagesRestMs = 1_000;

const isOver = ({ status }: StepRecord): boolean => status !== 'running' && status !== 'waiting';

/** Work that failed, and what makes it a part of the next write. */
interface Failure {
  readonly error: unknown;
  readonly again: () => void;
}

/** Steps and events of a run that ends, which are not stored yet. */
export interface Unwritten {
  /** Belongs to the end of the run, in one write with it. */
  readonly end: Pick<RunEnd, 'stepBuckets' | 'steps'>;
  readonly events: readonly RealtimeEvent[];
}

/**
 * Writes a run's steps and announces them on the realtime log, asynchronously: nodes do not wait, and a fast run costs no write of its own,
 * since its steps are stored with its end. What fails is a part of the next write, since a database that was away for a moment must cost no
 * step. `flush` resolves when all steps are stored: it tries what failed once more, and throws when that fails, too.
 * Source: docs/decisions/0251.
 */
export class StepRecorder implements StepSink {
  readonly #run: RunRecord;
  readonly #parts: RecorderParts;
  readonly #onProgress: () => void;
  readonly #buckets = new StepBuckets();
  readonly #events: RealtimeEvent[] = [];
  /** Steps that have ended, in that order. Those of earlier leases come first. */
  readonly #ended: Map<string, StepRecord>;
  /** Attempts that began under this lease, by their path. */
  readonly #begun = new Map<string, StepRecord>();
  readonly #pages: Paced<RunReading>;
  /** State of the run that the next write stores; undefined: it is stored. */
  #reading: RunReading | null | undefined;
  /** Removes the reading of a node from its document, by the path of the node. */
  readonly #endReading = new Map<string, () => Promise<void>>();
  /** The first superstep in which a node succeeded. */
  #succeededIn = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  /** Work that is on the way. */
  readonly #pending = new Set<Promise<void>>();
  readonly #failures: Failure[] = [];
  #settling: Promise<void> = Promise.resolve();

  constructor(
    run: RunRecord,
    parts: RecorderParts,
    { earlier, onProgress }: { readonly earlier: readonly StepRecord[]; readonly onProgress: () => void },
  ) {
    this.#run = run;
    this.#parts = parts;
    this.#onProgress = onProgress;
    this.#pages = new Paced(parts.pagesRestMs ?? usualPagesRestMs, (reading) => this.#tellPages(reading));
    for (const step of earlier) this.#buckets.set(step);
    this.#ended = new Map(earlier.filter(isOver).map((step) => [step._id, step]));
  }

  /** Outcomes of the run's nodes, for its receipt. */
  ended(): readonly StepRecord[] {
    return [...this.#ended.values()];
  }

  /**
   * Wraps the store so that the realtime log announces the results of this run. Announces only results that the store saved: a step whose
   * outcome came from the cache made none. Of runs that are kept apart only the pages are told, which the run itself shows.
   */
  hearing(results: ResultStore): ResultStore {
    const run = this.#run;
    const withPages: ResultStore = {
      ...results,
      saveOcrPage: async (origin, saved) => {
        await results.saveOcrPage(origin, saved);
        if (saved.reading === undefined) return;
        const { nodeId } = origin;
        const { pagesRead: read, pages } = saved.reading;
        const ocrResultId = results.idsOf(origin).ocr;
        this.#endReading.set(nodeId, () => results.endReading(origin));
        // Late pages of an attempt that has ended are not told.
        if (this.#begun.get(nodeId)?.status === 'running')
          this.#pages.add({ nodeId, ocrResultId, pagesRead: read, pages });
      },
    };
    if (isApart(run)) return withPages;
    return {
      ...withPages,
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
    const record = toRecord(this.#run, step);
    this.#begun.set(step.path, record);
    this.#record(record);
  }

  finished(step: StepFinished, cause?: unknown): void {
    if (step.status === 'succeeded') this.#succeededIn = Math.min(this.#succeededIn, step.superstep);
    if (step.status === 'failed')
      this.#parts.logger.warn({ err: cause, nodeId: step.path, code: step.error?.code }, 'step failed');
    const record = toRecord(this.#run, step);
    if (isOver(record)) this.#ended.set(record._id, record);
    this.#endPages(step);
    this.#record(record);
  }

  flush(): Promise<void> {
    this.#writeAll();
    return this.#settled();
  }

  /**
   * Stores what the run's own record does not hold. Returns the rest, to be stored with the end of the run: also what could not be stored
   * before.
   */
  async rest(): Promise<Unwritten> {
    this.#pages.end();
    // A run that has ended reads nothing.
    this.#reading = undefined;
    const changed = this.#takeChanged();
    const beside = new Map([...changed].filter(([number]) => number > 0));
    if (beside.size > 0) this.#write(beside, []);
    await this.#settled().catch((err: unknown) => {
      this.#parts.logger.error({ err, runId: this.#run._id }, 'steps of a run could not be stored before its end');
    });
    this.#putBack();
    const first = this.#takeChanged().get(0) ?? changed.get(0);
    const stepBuckets = this.#buckets.further;
    return {
      end: { ...(first !== undefined && { steps: first }), ...(stepBuckets > 0 && { stepBuckets }) },
      events: this.#events.splice(0),
    };
  }

  /** Stores what `rest` returned, for a run that somebody else ended. */
  async keep({ end: { steps }, events }: Unwritten): Promise<void> {
    if (steps !== undefined) this.#write(new Map([[0, steps]]), events);
    await this.#settled();
  }

  #record(record: StepRecord): void {
    this.#buckets.set(record);
    this.#announce(stepChanged(this.#run, record));
  }

  #tellPages(reading: RunReading): void {
    const step = this.#begun.get(reading.nodeId);
    if (step === undefined) return;
    this.#reading = reading;
    this.#announce(pagesRead(this.#run, step, reading, new Date()));
  }

  /** An attempt has ended: the next one, if one follows, goes on after its pages. */
  #endPages({ path, status, willRetry }: StepFinished): void {
    this.#begun.delete(path);
    const end = this.#endReading.get(path);
    if (end === undefined) return;
    this.#pages.drop(({ nodeId }) => nodeId === path);
    if (willRetry) return;
    this.#reading = null;
    // The document shows the result, or nothing where the node failed for good. A run that ends is not asked any more.
    if (status === 'continued') this.#endReadings(end);
  }

  #endReadings(end: () => Promise<void>): void {
    this.#add(end(), () => this.#endReadings(end));
  }

  #add(work: Promise<unknown>, again: () => void): void {
    const done = work
      .then(
        () => undefined,
        (error: unknown) => void this.#failures.push({ error, again }),
      )
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  /** Waits for all work so far, and does once more what failed. One caller after the other. */
  #settled(): Promise<void> {
    this.#settling = this.#settling.catch(() => undefined).then(() => this.#settle());
    return this.#settling;
  }

  async #settle(): Promise<void> {
    await this.#idle();
    if (this.#failures.length === 0) return;
    this.#writeAll();
    await this.#idle();
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure.error;
  }

  async #idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** The realtime feed tells nothing of runs of experiments. */
  #announce(event: RealtimeEvent): void {
    if (this.#run.experiment === undefined) this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#writeAll(), this.#parts.lingerMs ?? usualLingerMs);
  }

  #writeAll(): void {
    this.#putBack();
    this.#write(this.#takeChanged(), this.#events.splice(0));
  }

  /** Counts what failed as not stored: the next write has it. */
  #putBack(): void {
    for (const { again } of this.#failures.splice(0)) again();
  }

  /** Takes the changes since the last call: they need no later write. */
  #takeChanged(): ChangedBuckets {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return this.#buckets.takeChanged();
  }

  #write(buckets: ChangedBuckets, events: readonly RealtimeEvent[]): void {
    const reading = this.#reading;
    this.#reading = undefined;
    if (events.length === 0 && buckets.size === 0 && reading === undefined) return;
    const further = this.#buckets.further;
    const isChanged = buckets.size > 0 || reading !== undefined;
    if (isChanged)
      this.#add(this.#parts.steps.save({ run: this.#run, buckets, further, reading }), () => {
        this.#buckets.changedAgain(buckets.keys());
        if (this.#reading === undefined) this.#reading = reading;
      });
    // The log knows events by their ids: it stores none twice.
    if (events.length > 0) this.#add(this.#parts.events.append(events), () => void this.#events.unshift(...events));
  }
}
