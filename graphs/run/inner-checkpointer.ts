import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from '@langchain/langgraph';
import type { PendingWrite } from '@langchain/langgraph-checkpoint';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { RunCheckpointer } from '#graphs/run/compiled-workflow.ts';

/** A value in LangGraph's own serialization, inside of a checkpoint that holds JSON. */
interface Packed {
  readonly type: string;
  readonly text: string;
}

/**
 * Keeps the checkpoints of a graph that is not ours in our store, which takes JSON only: messages and other objects are written as LangGraph
 * serializes them. Other members are those of the store. Source: docs/decisions/0199.
 */
export class InnerCheckpointer extends BaseCheckpointSaver {
  readonly #store: RunCheckpointer;

  constructor(store: RunCheckpointer) {
    super();
    this.#store = store;
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.#store.getTuple(config);
    return tuple && this.#unpacked(tuple);
  }

  async *list(...args: Parameters<BaseCheckpointSaver['list']>): AsyncGenerator<CheckpointTuple> {
    for await (const tuple of this.#store.list(...args)) yield await this.#unpacked(tuple);
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    ...rest: [versions: Parameters<BaseCheckpointSaver['put']>[3]]
  ): Promise<RunnableConfig> {
    const values = await this.#pack(checkpoint.channel_values);
    return this.#store.put(config, { ...checkpoint, channel_values: { values } }, metadata, ...rest);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const packed = writes.map(async ([channel, value]): Promise<PendingWrite> => [channel, await this.#pack(value)]);
    await this.#store.putWrites(config, await Promise.all(packed), taskId);
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#store.deleteThread(threadId);
  }

  async #pack(value: unknown): Promise<Packed> {
    const [type, bytes] = await this.serde.dumpsTyped(value);
    return { type, text: Buffer.from(bytes).toString(type === 'json' ? 'utf8' : 'base64') };
  }

  async #unpack(value: unknown): Promise<unknown> {
    const { type, text } = value as Packed;
    return this.serde.loadsTyped(type, type === 'json' ? text : Buffer.from(text, 'base64'));
  }

  async #unpacked({ checkpoint, pendingWrites = [], ...rest }: CheckpointTuple): Promise<CheckpointTuple> {
    const values = (await this.#unpack(checkpoint.channel_values['values'])) as Checkpoint['channel_values'];
    const writes = pendingWrites.map(async ([task, channel, value]): Promise<[string, string, unknown]> => [
      task,
      channel,
      await this.#unpack(value),
    ]);
    return { ...rest, checkpoint: { ...checkpoint, channel_values: values }, pendingWrites: await Promise.all(writes) };
  }
}
