import {
  BaseCheckpointSaver,
  compareWritesSortKeys,
  WRITES_IDX_MAP,
  writesSortKey,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type WritesSortKey,
} from '@langchain/langgraph-checkpoint';
import {
  checkpointCollections,
  rowId,
  type CheckpointCollections,
  type CheckpointRow,
  type CheckpointWriteRow,
} from '#src/stores/checkpoints/rows.ts';
import { CheckpointWriter, type CheckpointOperation } from '#src/stores/checkpoints/writer.ts';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { Db } from 'mongodb';

/**
 * LangGraph's checkpoints in MongoDB, written asynchronously: `put` and `putWrites` return at once and share one bulk write at a time;
 * reads and `flush` wait for them. Values are kept as JSON, so a state holds JSON only. Importing this file loads LangChain: import it for
 * the first run. Source: docs/decisions/0026; docs/decisions/0021.
 */
export class CheckpointSaver extends BaseCheckpointSaver {
  readonly #collections: CheckpointCollections;
  readonly #writer: CheckpointWriter;
  /** Threads whose caller knows that they have no stored rows. */
  readonly #fresh = new Set<string>();

  constructor(db: Db, lingerMs?: number) {
    super();
    this.#collections = checkpointCollections(db);
    this.#writer = new CheckpointWriter(this.#collections, lingerMs);
  }

  /** Same as `CheckpointWriter.before`. */
  before(runId: string, hook: () => Promise<void>): Disposable {
    return this.#writer.before(runId, hook);
  }

  /** Same as `CheckpointWriter.end`. */
  end(runId: string): void {
    this.#writer.end(runId);
  }

  /** Resolves when all writes of the thread are stored, and throws the error of a failed one. Call it at the end of every run. */
  flush(threadId: string): Promise<void> {
    this.#fresh.delete(threadId);
    return this.#writer.flush(threadId);
  }

  /** `configurable.freshThread`: the caller knows that the thread has no checkpoint, which saves the read. */
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, checkpointNs, checkpointId } = addressOf(config);
    if (threadId === undefined) return undefined;
    if (config.configurable?.['freshThread'] === true) {
      this.#fresh.add(threadId);
      return undefined;
    }
    await this.#writer.flush(threadId);
    const filter = { threadId, checkpointNs: checkpointNs ?? '', ...(checkpointId !== undefined && { checkpointId }) };
    const [row] = await this.#collections.checkpoints.find(filter).sort({ checkpointId: -1 }).limit(1).toArray();
    return row && this.#tuple(row);
  }

  /** Lists newest first. `filter` compares members of the metadata with `===`. */
  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { threadId, checkpointNs, checkpointId } = addressOf(config);
    const before = options.before ? addressOf(options.before).checkpointId : undefined;
    await (threadId === undefined ? this.#writer.flushAll() : this.#writer.flush(threadId));
    const query = {
      ...(threadId !== undefined && { threadId }),
      ...(checkpointNs !== undefined && { checkpointNs }),
      ...((checkpointId ?? before) !== undefined && {
        checkpointId: {
          ...(checkpointId !== undefined && { $eq: checkpointId }),
          ...(before !== undefined && { $lt: before }),
        },
      }),
    };
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for await (const row of this.#collections.checkpoints.find(query).sort({ checkpointId: -1 })) {
      if (!matches(row, options.filter ?? {})) continue;
      yield await this.#tuple(row);
      left -= 1;
      if (left <= 0) return;
    }
  }

  async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<RunnableConfig> {
    const { threadId, checkpointNs = '', checkpointId } = addressOf(config);
    const row: CheckpointRow = {
      _id: rowId(required(threadId, 'thread_id'), checkpointNs, checkpoint.id),
      threadId: required(threadId, 'thread_id'),
      checkpointNs,
      checkpointId: checkpoint.id,
      parentId: checkpointId ?? null,
      checkpoint: JSON.stringify(checkpoint),
      metadata: JSON.stringify(metadata),
    };
    this.#add({ kind: 'checkpoint', row });
    return configOf(row, checkpoint.id);
  }

  /** Keeps the first regular writes of a task. Replaces errors, interrupts and answers. */
  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ''): Promise<void> {
    const address = addressOf(config);
    const key = {
      threadId: required(address.threadId, 'thread_id'),
      checkpointNs: address.checkpointNs ?? '',
      checkpointId: required(address.checkpointId, 'checkpoint_id'),
      taskId,
      taskPath,
    };
    const idOf = (part: string): string => rowId(key.threadId, key.checkpointNs, key.checkpointId, taskId, part);
    const regular = writes.filter(([channel]) => !isSpecial(channel));
    if (regular.length > 0) {
      const row = { _id: idOf('writes'), ...key, writes: JSON.stringify(regular) };
      this.#add({ kind: 'write', wins: 'first', row });
    }
    for (const write of writes.filter(([channel]) => isSpecial(channel))) {
      const row = { _id: idOf(write[0]), ...key, writes: JSON.stringify([write]) };
      this.#add({ kind: 'write', wins: 'last', row });
    }
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#writer.add({ kind: 'delete', threadId: required(threadId, 'thread_id') });
    await this.flush(threadId);
  }

  #add(operation: Extract<CheckpointOperation, { row: unknown }>): void {
    this.#writer.add(operation, this.#fresh.has(operation.row.threadId));
  }

  async #tuple(row: CheckpointRow): Promise<CheckpointTuple> {
    const { threadId, checkpointNs, checkpointId } = row;
    const writes = await this.#collections.writes.find({ threadId, checkpointId }).toArray();
    const pendingWrites = writes
      .filter((one) => one.checkpointNs === checkpointNs)
      .toSorted((one, other) => compareWritesSortKeys(sortKeyOf(one), sortKeyOf(other)))
      .flatMap((one) =>
        (JSON.parse(one.writes) as PendingWrite[]).map(([channel, value]): CheckpointPendingWrite => [
          one.taskId,
          channel,
          value,
        ]),
      );
    return {
      config: configOf(row, checkpointId),
      checkpoint: JSON.parse(row.checkpoint) as Checkpoint,
      metadata: JSON.parse(row.metadata) as CheckpointMetadata,
      pendingWrites,
      ...(row.parentId !== null && { parentConfig: configOf(row, row.parentId) }),
    };
  }
}

interface Address {
  readonly threadId?: string;
  readonly checkpointNs?: string;
  readonly checkpointId?: string;
}

/** Accepts text only: an object would become an operator of the query. */
function addressOf({ configurable }: RunnableConfig): Address {
  const threadId = text(configurable?.['thread_id'], 'thread_id');
  const checkpointNs = text(configurable?.['checkpoint_ns'], 'checkpoint_ns');
  const checkpointId = text(configurable?.['checkpoint_id'], 'checkpoint_id');
  return {
    ...(threadId !== undefined && { threadId }),
    ...(checkpointNs !== undefined && { checkpointNs }),
    ...(checkpointId !== undefined && checkpointId !== '' && { checkpointId }),
  };
}

function text(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`configurable.${name} must be a string`);
}

function required(value: string | undefined, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`configurable.${name} is missing`);
}

function configOf({ threadId, checkpointNs }: CheckpointRow, checkpointId: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } };
}

function isSpecial(channel: string): boolean {
  return Object.hasOwn(WRITES_IDX_MAP, channel);
}

/** LangGraph applies the writes of a superstep in this order. A special channel has its own row, with a negative index. */
function sortKeyOf({ taskPath = '', taskId, _id }: CheckpointWriteRow): WritesSortKey {
  return writesSortKey(taskPath, taskId, WRITES_IDX_MAP[String((JSON.parse(_id) as unknown[]).at(-1))] ?? 0);
}

function matches(row: CheckpointRow, filter: Record<string, unknown>): boolean {
  const metadata = JSON.parse(row.metadata) as Record<string, unknown>;
  return Object.entries(filter).every(([name, value]) => metadata[name] === value);
}
