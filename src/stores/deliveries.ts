import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';

export function createDeliveryStore({ deliveries }: Pick<Collections, 'deliveries'>) {
  return {
    /** Durable when it answers; an id that exists already changes nothing. */
    async add(delivery: DeliveryRecord): Promise<void> {
      try {
        await deliveries.insertOne(delivery);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    /** Takes the oldest that is due, for `leaseMs`; raises `attempts`. */
    claim: (leaseMs: number, now: Date): Promise<DeliveryRecord | null> =>
      deliveries.findOneAndUpdate(
        { dueAt: { $lte: now } },
        { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } },
        // Durable: a lost count would make the tries endless.
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      ),
    /** `retryAt` null: it is over. */
    async settle(
      id: string,
      { delivered, error, retryAt }: { delivered: boolean; error: string | null; retryAt: Date | null },
    ): Promise<void> {
      const over = retryAt === null;
      const status = delivered ? 'delivered' : over ? 'failed' : 'pending';
      await deliveries.updateOne(
        // What another process has ended meanwhile stays ended.
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
