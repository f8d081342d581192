import { openOnWarmThread } from '#embedded-test/engine.ts';
import { checkpointCollections, type CheckpointCollections } from '#src/stores/checkpoints/rows.ts';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { eventsOf } from '#src/stores/event-buckets.ts';
import { createStepStore } from '#src/stores/steps.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** Events of all logs with these members. */
export async function eventsIn(
  { events }: Pick<Collections, 'events'>,
  having: Partial<LoggedEvent> = {},
): Promise<readonly LoggedEvent[]> {
  const all = (await events.find({}).sort({ last: 1 }).toArray()).flatMap(eventsOf);
  const wanted = Object.entries(having);
  return all.filter((event) => wanted.every(([name, value]) => event[name as keyof LoggedEvent] === value));
}

/** Steps of a run, in the order in which they began. */
export async function stepsIn(
  stored: Pick<Collections, 'runs' | 'steps'>,
  runId: string,
): Promise<readonly StepRecord[]> {
  const run = await stored.runs.findOne({ _id: runId });
  return run === null ? [] : createStepStore(stored).listOf(run);
}

/** Reads a data folder past the program: through the engine that has it open, or one of its own. */
export async function collectionsIn(
  dataDir: string,
): Promise<Collections & Pick<CheckpointCollections, 'checkpoints'> & { close(): Promise<void> }> {
  const engine = await openOnWarmThread({ dataDir });
  const database = connectDatabase(engine.uri);
  return {
    ...collectionsOf(database.db),
    checkpoints: checkpointCollections(database.db).checkpoints,
    async close() {
      await database.close();
      await engine.close();
    },
  };
}
