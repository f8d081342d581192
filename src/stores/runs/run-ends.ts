import type { AnyClientBulkWriteModel, Document, Filter, MongoClient } from 'mongodb';
import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { orStop, stopOf } from '#src/stores/connect.ts';
import { held, type Lease, type RunEnd } from '#src/stores/run-queue.ts';
import type { RunNotes } from '#src/stores/runs/run-notes.ts';

/** End of a run that a worker holds. */
export interface EndedRun {
  readonly lease: Lease;
  readonly end: RunEnd;
  readonly now: Date;
}

export interface EndsOutcome {
  /** Number of runs that ended: the first ones. */
  readonly finished: number;
  /** True if the lease of the next one is lost. Those after it are as they were. */
  readonly isLost: boolean;
  /** True if the events are stored. */
  readonly isAnnounced: boolean;
}

const updateOf = ({ end, now }: EndedRun): Document => ({
  $set: { ...end, finishedAt: now },
  $unset: { beatAt: true, waitingFor: true },
});

/** Ends of runs. Every write matches the lease, so a worker that lost it changes nothing. */
export function createRunEnds(
  client: MongoClient,
  { events, runs }: Pick<Collections, 'events' | 'runs'>,
  notes: RunNotes,
) {
  const noteOf = ({ lease, end: { status, error }, now }: EndedRun): AnyClientBulkWriteModel<Document>[] =>
    notes.models([{ ...lease.run, status, error }], now);
  const shown = ({ lease, end: { status, error }, now }: EndedRun): Promise<void> =>
    notes.note([{ ...lease.run, status, error }], now);
  const modelOf = (ended: EndedRun): AnyClientBulkWriteModel<Document> & { readonly name: 'updateOne' } => ({
    namespace: runs.namespace,
    name: 'updateOne',
    filter: held(ended.lease) as Filter<Document>,
    update: updateOf(ended),
  });
  /** Stops an ordered command if the lease is lost. */
  const modelOrStop = (ended: EndedRun): AnyClientBulkWriteModel<Document> => ({
    ...modelOf(ended),
    ...orStop(updateOf(ended)),
  });
  return {
    /** Ends the run, durably. False when the lease is lost. */
    async finish(lease: Lease, end: RunEnd, now: Date): Promise<boolean> {
      const ended = { lease, end, now };
      // One command for both: a worker that lost its lease writes an older order, which changes nothing for long.
      const done = await client.bulkWrite([modelOf(ended), ...noteOf(ended)], { ordered: true, verboseResults: true });
      return done.updateResults?.get(0)?.matchedCount === 1;
    },
    /**
     * Ends runs of one organization, shows it on their documents, and stores their events, in one durable command. Stops at the first lost
     * lease: the end of a run that somebody else ended is not announced.
     */
    async finishAll(ended: readonly EndedRun[], rows: readonly EventBucketRow[]): Promise<EndsOutcome> {
      const changes = [...ended.map(modelOrStop), ...ended.flatMap(noteOf)];
      const insertions = rows.map((row) => ({
        namespace: events.namespace,
        name: 'insertOne' as const,
        document: row as unknown as Document,
      }));
      try {
        await client.bulkWrite([...changes, ...insertions], { ordered: true });
        return { finished: ended.length, isLost: false, isAnnounced: true };
      } catch (error) {
        const { at, isMissing, isDuplicate } = stopOf(error);
        // Another process took the number of the events, or stored one of them.
        if (at >= changes.length && isDuplicate) return { finished: ended.length, isLost: false, isAnnounced: false };
        if (at >= ended.length || !isMissing) throw error;
        await Promise.all(ended.slice(0, at).map(shown));
        return { finished: at, isLost: true, isAnnounced: false };
      }
    },
  };
}
