import { LRUCache } from 'lru-cache';
import type { SpentWork } from '#src/domain/ports/page-turn.ts';
import type { Collections } from '#src/stores/collections.ts';

/** Time for which it is known: files come back within days, and then seldom. */
const keptMs = 30 * 86_400_000;
/** Rows of an organization that are looked at, the newest. */
const mostRows = 1_000;
const mostOrganizations = 1_000;
/** Time after which rows are read again: other machines tell nothing. */
const knownMs = 60_000;

const keyOf = (content: string, work: string): string => `${content} ${work}`;

/** Counts in the database, and what each process knows of them. Source: docs/decisions/0278. */
export interface SpentWorkStore extends SpentWork {
  /** Reads the rows of an organization again: another process added some. */
  changed(organizationId: string): void;
}

/** `tell`: called after a row of the organization changed. */
export function createSpentWork(
  { spentWork }: Pick<Collections, 'spentWork'>,
  tell: (organizationId: string) => void,
): SpentWorkStore {
  const known = new LRUCache<string, Promise<ReadonlyMap<string, number>>>({ max: mostOrganizations, ttl: knownMs });
  const read = async (organizationId: string): Promise<ReadonlyMap<string, number>> => {
    const rows = await spentWork.find({ organizationId }).sort({ forgetAt: -1 }).limit(mostRows).toArray();
    return new Map(rows.map(({ content, work, times }) => [keyOf(content, work), times]));
  };
  const timesOf = (organizationId: string): Promise<ReadonlyMap<string, number>> => {
    const reading = known.get(organizationId) ?? read(organizationId);
    known.set(organizationId, reading, { noUpdateTTL: true });
    // The next one reads again.
    reading.catch(() => known.delete(organizationId));
    return reading;
  };
  return {
    async times(organizationId, content, work) {
      return (await timesOf(organizationId)).get(keyOf(content, work)) ?? 0;
    },
    async add(organizationId, content, work) {
      await spentWork.updateOne(
        { _id: `${organizationId}/${keyOf(content, work)}`, organizationId },
        { $inc: { times: 1 }, $set: { content, work, forgetAt: new Date(Date.now() + keptMs) } },
        { upsert: true },
      );
      known.delete(organizationId);
      tell(organizationId);
    },
    changed: (organizationId) => void known.delete(organizationId),
  };
}
