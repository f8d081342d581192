import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import type { DeliveryStore } from '#src/domain/ports/delivery-store.ts';

export function createDeliveryStore({ deliveries }: Pick<Collections, 'deliveries'>): DeliveryStore {
  return {
    async add(delivery) {
      try {
        await deliveries.insertOne(delivery);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    claim: (leaseMs, now) =>
      deliveries.findOneAndUpdate(
        { dueAt: { $lte: now } },
        { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } },
        // Durable: a lost count would make the tries endless.
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      ),
    async settle(id, { delivered, error, retryAt }) {
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
    list: (organizationId, projectId, limit) =>
      deliveries.find({ organizationId, projectId }).sort({ createdAt: -1 }).limit(limit).toArray(),
  };
}
