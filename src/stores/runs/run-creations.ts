import type { AnyClientBulkWriteModel, Document, MongoClient } from 'mongodb';
import { Batcher } from '#src/concurrency/batcher.ts';
import { stopOf } from '#src/stores/connect.ts';
import type { CreatedExecution, Foreseen } from '#src/stores/runs/created-execution.ts';

interface Parts {
  readonly client: Pick<MongoClient, 'bulkWrite'>;
  readonly foresee: (wanted: readonly CreatedExecution[]) => Promise<Foreseen | null>;
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

/** Limit of runs for which executions share a command. */
const mostRuns = 100;

/**
 * Stores new executions and takes places in the queue for their runs in one durable command. Executions that arrive during a write share the
 * next one, one command for each organization and lane. Source: docs/decisions/0235.
 */
export function createRunCreations({ client, foresee, modelsOf, insertPlaced, inQueue }: Parts) {
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
    const foreseen = await foresee(group.map(({ wanted }) => wanted));
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
    await Promise.all([...groups.values()].map(insert));
  }, mostRuns);

  return async (wanted: CreatedExecution): Promise<Insertion> => {
    const one: Wanted = { wanted };
    // A large one would hold up the others.
    if (wanted.runs.length === 0 || wanted.runs.length > mostRuns) await alone(one);
    else await batcher.add(one);
    const { outcome } = one;
    if (outcome === undefined) throw new Error(`execution ${wanted.execution._id} was left out of its batch`);
    if ('error' in outcome) throw outcome.error;
    return outcome;
  };
}
