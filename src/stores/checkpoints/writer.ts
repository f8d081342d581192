import { threadsOf } from '#src/stores/checkpoints/forget.ts';
import type { AnyBulkWriteOperation } from 'mongodb';
import { processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { CheckpointCollections, CheckpointRow, CheckpointWriteRow } from '#src/stores/checkpoints/rows.ts';

export type CheckpointOperation =
  | { readonly kind: 'checkpoint'; readonly row: CheckpointRow }
  /** `first` keeps the stored writes, `last` replaces them. */
  | { readonly kind: 'write'; readonly row: CheckpointWriteRow; readonly wins: 'first' | 'last' }
  | { readonly kind: 'delete'; readonly threadId: string };

/** Below MongoDB's 16 MB for a document, and far above a state of ids and small facts. */
const maxRowCharacters = 4 * 1024 * 1024;

/** Longest delay before checkpoints are written together, in milliseconds. A worker that takes over a run may repeat this much. */
const usualLingerMs = 100;

interface ThreadWrites {
  /** Operations that the batcher does not have yet. */
  waiting: CheckpointOperation[];
  last: Promise<void>;
  failure: { readonly error: unknown } | null;
  /** True when this process began the thread and has stored nothing of it. */
  unknown: boolean;
}

/**
 * Batches the writes of all runs of the process. One bulk write per collection is in flight; operations that arrive meanwhile go into the
 * next. A thread that is deleted before its first write never reaches the database, so a fast run costs nothing here. Only `flush`
 * rejects: LangGraph does not observe the promises of its checkpoints while a run continues.
 */
export class CheckpointWriter {
  readonly #collections: CheckpointCollections;
  readonly #lingerMs: number;
  readonly #threads = new Map<string, ThreadWrites>();
  /** Hooks by run. Each stores the data that must precede the run's checkpoints. */
  readonly #before = new Map<string, () => Promise<void>>();
  /** Runs that have ended, and whose checkpoints are about to be deleted. */
  readonly #ended = new Set<string>();
  #isScheduled = false;
  readonly #batcher = new Batcher<CheckpointOperation>((operations) => this.#store(operations), 1_000);

  constructor(collections: CheckpointCollections, lingerMs = usualLingerMs) {
    this.#collections = collections;
    this.#lingerMs = lingerMs;
  }

  /** `fresh`: the database has no row of this thread yet. */
  add(operation: CheckpointOperation, fresh = false): void {
    const threadId = operation.kind === 'delete' ? operation.threadId : operation.row.threadId;
    const thread = this.#threads.get(threadId) ?? newThread(fresh);
    this.#threads.set(threadId, thread);
    if (operation.kind === 'delete') this.#ended.delete(runOf(threadId));
    if (operation.kind === 'delete' && thread.unknown) {
      this.#threads.delete(threadId);
      return;
    }
    if (isTooLarge(operation)) {
      const detail =
        'The state of the run is larger than 4 MiB. Keep texts and images in the store, and only their ids in the state.';
      thread.failure ??= { error: new AppError('workflow.invalid', detail) };
      return;
    }
    thread.waiting.push(operation);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#handAllOver(), this.#lingerMs);
  }

  /**
   * Awaits `hook` before it stores anything of this run or of workflows inside it. If the hook rejects, nothing of the run is stored, and
   * `flush` throws its error. Dispose of the result to remove the hook.
   */
  before(runId: string, hook: () => Promise<void>): Disposable {
    this.#before.set(runId, hook);
    this.#ended.delete(runId);
    return { [Symbol.dispose]: () => void this.#before.delete(runId) };
  }

  /**
   * Stores nothing more of a run that has ended, until its thread is deleted: its last steps are stored with its end, and a checkpoint that
   * passes over them before that would leave them as running for ever, if the process dies in between.
   */
  end(runId: string): void {
    this.#ended.add(runId);
  }

  /** Resolves when all operations of the thread so far are stored. Throws the first error since the last flush. */
  async flush(threadId: string): Promise<void> {
    const thread = this.#threads.get(threadId);
    if (!thread) return;
    let waited: Promise<void>;
    do {
      this.#handOver(thread);
      waited = thread.last;
      await waited;
    } while (thread.waiting.length > 0 || waited !== thread.last);
    if (this.#threads.get(threadId) === thread) this.#threads.delete(threadId);
    if (thread.failure) throw thread.failure.error;
  }

  #handAllOver(): void {
    this.#isScheduled = false;
    for (const thread of this.#threads.values()) this.#handOver(thread);
  }

  #handOver(thread: ThreadWrites): void {
    if (thread.waiting.length === 0) return;
    thread.unknown = false;
    // Batches are stored in order, so the promise of the last operation covers all earlier ones.
    for (const operation of thread.waiting.splice(0)) {
      thread.last = this.#batcher.add(operation).catch((error: unknown) => {
        thread.failure ??= { error };
      });
    }
  }

  async flushAll(): Promise<void> {
    await Promise.all([...this.#threads.keys()].map((threadId) => this.flush(threadId)));
  }

  async #store(given: readonly CheckpointOperation[]): Promise<void> {
    const operations = await this.#withoutFailed(given);
    const deletedAt = new Map<string, number>();
    operations.forEach((operation, at) => {
      if (operation.kind === 'delete') deletedAt.set(operation.threadId, at);
    });
    await this.#deleteThreads([...deletedAt.keys()]);
    const checkpoints: AnyBulkWriteOperation<CheckpointRow>[] = [];
    const writes: AnyBulkWriteOperation<CheckpointWriteRow>[] = [];
    operations.forEach((operation, at) => {
      // Operations before the deletion of their thread are dropped. Later ones stay.
      if (operation.kind === 'delete' || at < (deletedAt.get(operation.row.threadId) ?? -1)) return;
      if (operation.kind === 'checkpoint') checkpoints.push(replacement(operation.row));
      else writes.push(operation.wins === 'last' ? replacement(operation.row) : insertion(operation.row));
    });
    const options = { ordered: false, ...processSafe };
    await Promise.all([
      checkpoints.length > 0 && this.#collections.checkpoints.bulkWrite(checkpoints, options),
      writes.length > 0 && this.#collections.writes.bulkWrite(writes, options),
    ]);
  }

  /** Omits operations of runs that have ended, or whose hook rejects. */
  async #withoutFailed(operations: readonly CheckpointOperation[]): Promise<readonly CheckpointOperation[]> {
    const ids = new Set(operations.flatMap((one) => (one.kind === 'delete' ? [] : [runOf(one.row.threadId)])));
    const failed = new Map<string, unknown>();
    const ask = async (runId: string): Promise<void> => {
      try {
        await this.#before.get(runId)?.();
      } catch (error) {
        failed.set(runId, error);
      }
    };
    await Promise.all([...ids].filter((runId) => !this.#ended.has(runId)).map(ask));
    for (const [threadId, thread] of this.#threads) {
      if (failed.has(runOf(threadId))) thread.failure ??= { error: failed.get(runOf(threadId)) };
    }
    return operations.filter((one) => {
      if (one.kind === 'delete') return true;
      const runId = runOf(one.row.threadId);
      // It may have ended while the hooks were awaited.
      return !failed.has(runId) && !this.#ended.has(runId);
    });
  }

  async #deleteThreads(threadIds: readonly string[]): Promise<void> {
    if (threadIds.length === 0) return;
    // An earlier process may have stored threads of workflows inside the run.
    const filter = threadsOf(threadIds);
    await Promise.all([
      this.#collections.checkpoints.deleteMany(filter, processSafe),
      this.#collections.writes.deleteMany(filter, processSafe),
    ]);
  }
}

/** Run that a thread belongs to. Inner workflows have `<runId>|<place>`. */
function runOf(threadId: string): string {
  return threadId.split('|', 1)[0] ?? threadId;
}

function newThread(unknown: boolean): ThreadWrites {
  return { waiting: [], last: Promise.resolve(), failure: null, unknown };
}

function isTooLarge(operation: CheckpointOperation): boolean {
  if (operation.kind === 'delete') return false;
  const text = operation.kind === 'checkpoint' ? operation.row.checkpoint : operation.row.writes;
  return text.length > maxRowCharacters;
}

function replacement<Row extends CheckpointRow | CheckpointWriteRow>(row: Row): AnyBulkWriteOperation<Row> {
  const { _id, ...rest } = row;
  return { replaceOne: { filter: { _id }, replacement: rest, upsert: true } } as unknown as AnyBulkWriteOperation<Row>;
}

function insertion(row: CheckpointWriteRow): AnyBulkWriteOperation<CheckpointWriteRow> {
  const { _id, ...rest } = row;
  return { updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true } };
}
