import type { Collection, Db, IndexDescription } from 'mongodb';

/** `checkpoint` and `metadata` are JSON text, so that stored data cannot name a class to instantiate. */
export interface CheckpointRow {
  readonly _id: string;
  readonly threadId: string;
  readonly checkpointNs: string;
  /** UUID version 6: sorts by time. */
  readonly checkpointId: string;
  readonly parentId: string | null;
  readonly checkpoint: string;
  readonly metadata: string;
}

/** Writes of one task beside a checkpoint: one row for all regular writes, and one for each special channel. */
export interface CheckpointWriteRow {
  readonly _id: string;
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId: string;
  readonly taskId: string;
  /** Index of the task in its superstep. Missing in rows of versions before LangGraph 1.7. */
  readonly taskPath?: string;
  /** JSON text of `[channel, value][]`. */
  readonly writes: string;
}

export interface CheckpointCollections {
  readonly checkpoints: Collection<CheckpointRow>;
  readonly writes: Collection<CheckpointWriteRow>;
}

export function checkpointCollections(db: Db): CheckpointCollections {
  return { checkpoints: db.collection('checkpoints'), writes: db.collection('checkpointWrites') };
}

/** Keys of the indexes of both collections. */
export const checkpointIndexes: Readonly<Record<string, readonly IndexDescription['key'][]>> = {
  checkpoints: [{ threadId: 1, checkpointNs: 1, checkpointId: -1 }],
  checkpointWrites: [{ threadId: 1, checkpointId: 1 }],
};

/** Creates missing indexes. Safe at every start. */
export async function ensureCheckpointIndexes(db: Db): Promise<void> {
  for (const [collection, keys] of Object.entries(checkpointIndexes))
    await db.collection(collection).createIndexes(keys.map((key) => ({ key })));
}

/** Unambiguous `_id`: different parts never give the same one, whatever they contain. */
export function rowId(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
