import type { Collections } from '#src/stores/collections.ts';
import { webhookLongestDelayMs } from '#src/domain/webhooks/retry-schedule.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';

/** A little more than the longest delay of a retry. */
const longestWaitMs = webhookLongestDelayMs + 60_000;

export function createDeliveryStore({ deliveries }: Pick<Collections, 'deliveries'>) {
  return {
    /** Durable on return. An existing id changes nothing. */
    async add(delivery: DeliveryRecord): Promise<void> {
      try {
        await deliveries.insertOne(delivery);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    /**
     * Claims the oldest due delivery for `leaseMs`. Raises `attempts`. A time later than any retry is of a clock that was set back, and
     * counts as due.
     */
    claim: (leaseMs: number, now: Date): Promise<DeliveryRecord | null> =>
      deliveries.findOneAndUpdate(
        { $or: [{ dueAt: { $lte: now } }, { dueAt: { $gt: new Date(now.getTime() + longestWaitMs) } }] },
        { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } },
        // Durable: a lost count would make the attempts endless.
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      ),
    /** `retryAt` null ends the delivery. */
    async settle(
      id: string,
      { delivered, error, retryAt }: { delivered: boolean; error: string | null; retryAt: Date | null },
    ): Promise<void> {
      const over = retryAt === null;
      const status = delivered ? 'delivered' : over ? 'failed' : 'pending';
      await deliveries.updateOne(
        // A delivery that another process ended stays ended.
        { _id: id, status: 'pending' },
        {
          $set: { status, lastError: error, ...(over ? {} : { dueAt: retryAt }) },
          ...(over && { $unset: { dueAt: true } }),
        },
      );
    },
    list: (organizationId: string, projectId: string, limit: number): Promise<readonly DeliveryRecord[]> =>
      deliveries.find({ organizationId, projectId }).sort({ createdAt: -1 }).limit(limit).toArray(),
  };
}

/** Outgoing webhooks, at least once. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
