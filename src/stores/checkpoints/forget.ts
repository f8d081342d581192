import type { Db } from 'mongodb';
import { checkpointCollections } from '#src/stores/checkpoints/rows.ts';
import { processSafe } from '#src/stores/connect.ts';

/** Matches a thread and those of workflows inside its run (`<threadId>|<place>`). */
export function threadsOf(threadIds: readonly string[]) {
  return { $or: threadIds.map((id) => ({ threadId: { $gte: id, $lt: `${id}}` } })) };
}

/** Deletes the checkpoints of runs that will not continue. Loads nothing of LangChain. */
export async function forgetCheckpoints(db: Db, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  const { checkpoints, writes } = checkpointCollections(db);
  await Promise.all([
    checkpoints.deleteMany(threadsOf(runIds), processSafe),
    writes.deleteMany(threadsOf(runIds), processSafe),
  ]);
}
