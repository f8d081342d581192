import type { AnyClientBulkWriteModel, Document, MongoClient } from 'mongodb';
import { Batcher } from '#src/concurrency/batcher.ts';
import { stopOf } from '#src/stores/connect.ts';
import type { Lane } from '#src/domain/runs/queue.ts';
import type { LaneTime } from '#src/stores/run-places.ts';
import type { CreatedExecution, Foreseen } from '#src/stores/runs/created-execution.ts';

interface Parts {
  readonly client: Pick<MongoClient, 'bulkWrite'>;
  readonly look: (lane: Lane) => Promise<LaneTime>;
  readonly foresee: (wanted: readonly CreatedExecution[], look?: Promise<LaneTime>) => Promise<Foreseen | null>;
  readonly modelsOf: (created: CreatedExecution) => AnyClientBulkWriteModel<Document>[];
  /** Stores an execution whose runs have places, alone. False if it exists. */
  readonly insertPlaced: (created: CreatedExecution) => Promise<boolean>;
  /** Takes places for the runs. */
  readonly inQueue: (wanted: readonly CreatedExecution[]) => Promise<readonly CreatedExecution[]>;
}

/** An execution with places for its runs. `isNew`: it is stored; else there is one of this id, and the places are taken for nothing. */
export interface Insertion {
  readonly made: CreatedExecution;
  readonly isNew: boolean;
}

interface Wanted {
  readonly wanted: CreatedExecution;
  outcome?: Insertion | { readonly error: unknown };
}

/** Time in milliseconds for which a look at a lane holds. */
const aheadMs = 50;

/** Looks at lanes that were begun before they were needed. A look is used once, and none is begun while this process changes the queues. */
function createLooks(look: Parts['look']) {
  const begun = new Map<Lane, { readonly time: Promise<LaneTime>; readonly at: number }>();
  let busy = 0;
  return {
    lookAhead(lane: Lane): void {
      if (busy > 0) return;
      const time = look(lane);
      // An execution that uses it sees the error.
      time.catch(() => undefined);
      begun.set(lane, { time, at: performance.now() });
    },
    /** The look at the lane, if there is a fresh one. */
    take(lane: Lane): Promise<LaneTime> | undefined {
      const one = begun.get(lane);
      begun.delete(lane);
      return one !== undefined && performance.now() - one.at < aheadMs ? one.time : undefined;
    },
    async during(change: () => Promise<void>): Promise<void> {
      busy += 1;
      await change().finally(() => {
        busy -= 1;
      });
    },
  };
}

/** Limit of runs for which executions share a command. */
const mostRuns = 100;

/**
 * Stores new executions and takes places in the queue for their runs in one durable command. Executions that arrive during a write share the
 * next one, one command for each organization and lane. Source: docs/decisions/0235.
 */
export function createRunCreations({ client, look, foresee, modelsOf, insertPlaced, inQueue }: Parts) {
  const looks = createLooks(look);
  const alone = async (one: Wanted, placed?: CreatedExecution): Promise<void> => {
    try {
      const [made = one.wanted] = placed === undefined ? await inQueue([one.wanted]) : [placed];
      one.outcome = { made, isNew: await insertPlaced(made) };
    } catch (error) {
      one.outcome = { error };
    }
  };

  /** Executions of one organization and lane. */
  const together = async (group: readonly Wanted[]): Promise<void> => {
    const [{ lane = 'bulk' } = {}] = group.flatMap(({ wanted }) => wanted.runs);
    const wanted = group.map((one) => one.wanted);
    const foreseen = await foresee(wanted, looks.take(lane));
    if (foreseen === null) return void (await Promise.all(group.map((one) => alone(one))));
    const all = group.map((one, at) => {
      const made = foreseen.created[at] ?? one.wanted;
      return { one, made, models: modelsOf(made) };
    });
    try {
      await client.bulkWrite([foreseen.taking, ...all.flatMap(({ models }) => models)], { ordered: true });
      for (const { one, made } of all) one.outcome = { made, isNew: true };
    } catch (error) {
      const { at, isDuplicate } = stopOf(error);
      // Somebody else took these places: nothing is stored.
      if (at === 0) return void (await Promise.all(group.map((one) => alone(one))));
      if (!isDuplicate) throw error;
      let end = 1;
      for (const { one, made, models } of all) {
        const begin = end;
        end += models.length;
        if (at >= end) one.outcome = { made, isNew: true };
        else if (at >= begin) one.outcome = { made, isNew: false };
        else await alone(one, made);
      }
    }
  };

  const batcher = new Batcher<Wanted>(async (all) => {
    const groups = Map.groupBy(all, ({ wanted }) => {
      const [{ organizationId, lane } = { organizationId: '', lane: 'bulk' }] = wanted.runs;
      return `${organizationId}/${lane}`;
    });
    const insert = async (group: readonly Wanted[]): Promise<void> => {
      try {
        await together(group);
      } catch (error) {
        const [only, ...others] = group;
        // An error of one of them: each gets its own.
        if (others.length > 0) await Promise.all(group.map((one) => alone(one)));
        else if (only !== undefined) only.outcome = { error };
      }
    };
    await looks.during(() => Promise.all([...groups.values()].map(insert)).then(() => undefined));
  }, mostRuns);

  return {
    lookAhead: (lane: Lane): void => looks.lookAhead(lane),
    insert: async (wanted: CreatedExecution): Promise<Insertion> => {
      const one: Wanted = { wanted };
      // A large one would hold up the others.
      if (wanted.runs.length === 0 || wanted.runs.length > mostRuns) await alone(one);
      else await batcher.add(one);
      const { outcome } = one;
      if (outcome === undefined) throw new Error(`execution ${wanted.execution._id} was left out of its batch`);
      if ('error' in outcome) throw outcome.error;
      return outcome;
    },
  };
}
