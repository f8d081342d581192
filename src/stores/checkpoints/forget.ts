import type { Db } from 'mongodb';
import { checkpointCollections } from '#src/stores/checkpoints/rows.ts';
import { processSafe } from '#src/stores/connect.ts';

/** What is kept under a thread, and under those of workflows inside its run (`<threadId>|<place>`). */
export function threadsOf(threadIds: readonly string[]) {
  return { $or: threadIds.map((id) => ({ threadId: { $gte: id, $lt: `${id}}` } })) };
}

/** Removes the checkpoints of runs that will not go on; loads nothing of LangChain. */
export async function forgetCheckpoints(db: Db, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  const { checkpoints, writes } = checkpointCollections(db);
  await Promise.all([
    checkpoints.deleteMany(threadsOf(runIds), processSafe),
    writes.deleteMany(threadsOf(runIds), processSafe),
  ]);
}
