import { Batcher } from '#src/concurrency/batcher.ts';
import type { Collections, UsageRow } from '#src/stores/collections.ts';
import { isDuplicateKey, isDuplicatesOnly, processSafe } from '#src/stores/connect.ts';
import { AppError } from '#src/domain/app-error.ts';
import { fits, overQuota, type Quota, type QuotaScope, type Quotas, type Stored } from '#src/domain/access/quota.ts';

/** Owner of stored bytes: an upload or a document. */
export interface UsagePlace {
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string | null;
}

export interface Counted {
  readonly _id: string;
  readonly organizationId: string;
  readonly scope: QuotaScope;
}

/** Concurrent first uploads may both try to insert the counter. */
const mostTries = 5;

/** The narrowest scope first: its error is the one that the caller can act on. */
function scopesOf({ organizationId, projectId, apiKeyId }: UsagePlace): readonly Counted[] {
  return [
    ...(apiKeyId === null ? [] : [{ _id: apiKeyId, organizationId, scope: 'key' } as const]),
    { _id: projectId, organizationId, scope: 'project' },
    { _id: organizationId, organizationId, scope: 'organization' },
  ];
}

const nothing: Stored = { bytes: 0, objects: 0 };

/** Counts within one write, and only if the result stays within the quota. */
const createTaking = (usage: Collections['usage']) => {
  const attempt = async ({ _id, organizationId, scope }: Counted, bytes: number, quota: Quota): Promise<boolean> => {
    const room = {
      ...(quota.bytes !== null && { bytes: { $lte: quota.bytes - bytes } }),
      ...(quota.objects !== null && { objects: { $lte: quota.objects - 1 } }),
    };
    const change = { $inc: { bytes, objects: 1 }, $setOnInsert: { scope } };
    try {
      await usage.updateOne({ _id, organizationId, ...room }, change, { upsert: true, ...processSafe });
      return true;
    } catch (error) {
      // The counter exists, and was not matched.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  return async (counted: Counted, bytes: number, quota: Quota): Promise<void> => {
    if (!fits(nothing, bytes, quota)) throw overQuota(counted.scope, { used: nothing, bytes, quota });
    for (let tries = 0; tries < mostTries; tries += 1) {
      if (await attempt(counted, bytes, quota)) return;
      const { _id, organizationId } = counted;
      const used = (await usage.findOne({ _id, organizationId })) ?? nothing;
      if (!fits(used, bytes, quota)) throw overQuota(counted.scope, { used, bytes, quota });
    }
    throw new AppError('service.unavailable', 'The storage quota is changing too fast. Retry in a second.', {
      retryAfterSeconds: 1,
    });
  };
};

interface Change extends Stored {
  readonly counted: readonly Counted[];
}

/** Counts without a limit. Changes that arrive during a write share the next one, and in it a row for each scope. */
function createCounting(usage: Collections['usage']) {
  const batcher = new Batcher<Change>(async (changes) => {
    const sums = new Map<string, Counted & Stored>();
    for (const { counted, bytes, objects } of changes)
      for (const one of counted) {
        const sum = sums.get(one._id) ?? nothing;
        sums.set(one._id, { ...one, bytes: sum.bytes + bytes, objects: sum.objects + objects });
      }
    const operations = [...sums.values()].map(({ _id, organizationId, scope, bytes, objects }) => ({
      updateOne: {
        filter: { _id, organizationId },
        update: { $inc: { bytes, objects }, $setOnInsert: { scope } },
        upsert: true,
      },
    }));
    const options = { ordered: false, ...processSafe };
    try {
      await usage.bulkWrite(operations, options);
    } catch (error) {
      if (!isDuplicatesOnly(error)) throw error;
      // Another process made the counter at the same moment: these changes were not counted.
      const refused = [error.writeErrors].flat().flatMap(({ index }) => operations[index] ?? []);
      await usage.bulkWrite(refused, options);
    }
  });
  return async (counted: readonly Counted[], bytes: number, objects: number): Promise<void> => {
    if (counted.length > 0) await batcher.add({ counted, bytes, objects });
  };
}

export function createUsageStore({ usage }: Pick<Collections, 'usage'>, quotas: Quotas) {
  const change = createCounting(usage);
  const take = createTaking(usage);
  return {
    /**
     * Counts an upload of `bytes` in all its scopes, in none if one has no room: concurrent calls never exceed a quota together.
     * Errors: `quota.exceeded`; `upload.too_large` for an upload larger than a whole quota.
     */
    async reserve(place: UsagePlace, bytes: number): Promise<void> {
      const scopes = scopesOf(place);
      const isLimited = ({ scope }: Counted): boolean => quotas[scope].bytes !== null || quotas[scope].objects !== null;
      const taken: Counted[] = [];
      try {
        for (const counted of scopes.filter(isLimited)) {
          await take(counted, bytes, quotas[counted.scope]);
          taken.push(counted);
        }
      } catch (error) {
        await change(taken, -bytes, -1);
        throw error;
      }
      await change(
        scopes.filter((counted) => !isLimited(counted)),
        bytes,
        1,
      );
    },
    /** Counts bytes and objects that were stored (positive) or removed (negative), whatever the quota. */
    add: (place: UsagePlace, bytes: number, objects: number): Promise<void> => change(scopesOf(place), bytes, objects),
    /** Counts of an organization, or of its projects and keys, by id. */
    async read(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Stored>> {
      const rows = await usage.find({ _id: { $in: [...ids] }, organizationId }).toArray();
      return new Map(rows.map(({ _id, bytes, objects }) => [_id, shown({ bytes, objects })]));
    },
    quotas,
    /** Sum over all organizations. */
    async totals(): Promise<Stored> {
      const [sum] = await usage
        .aggregate<Stored>([
          { $match: { scope: 'organization' } },
          { $group: { _id: null, bytes: { $sum: '$bytes' }, objects: { $sum: '$objects' } } },
        ])
        .toArray();
      return shown(sum ?? nothing);
    },
    /** All counters of an organization, to be compared with what it stores. */
    rowsOf: (organizationId: string): Promise<readonly UsageRow[]> => usage.find({ organizationId }).toArray(),
    /** Replaces a counter that has not changed since it was read; `seen` null: it did not exist. False when it has. */
    async correct(counted: Counted, seen: Stored | null, { bytes, objects }: Stored): Promise<boolean> {
      const { _id, organizationId, scope } = counted;
      if (seen === null) {
        try {
          await usage.insertOne({ _id, organizationId, scope, bytes, objects });
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      }
      const unchanged = { _id, organizationId, bytes: seen.bytes, objects: seen.objects };
      return (await usage.updateOne(unchanged, { $set: { bytes, objects } })).matchedCount === 1;
    },
  };
}

/** A counter can be below zero until the next recount, after a crash. */
function shown({ bytes, objects }: Stored): Stored {
  return { bytes: Math.max(0, bytes), objects: Math.max(0, objects) };
}

/** Stored and promised bytes and objects of organizations, projects and keys. Source: docs/decisions/0079. */
export type UsageStore = ReturnType<typeof createUsageStore>;
