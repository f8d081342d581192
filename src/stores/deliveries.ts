import { MongoBulkWriteError } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { webhookLongestDelayMs } from '#src/domain/webhooks/retry-schedule.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';

export interface Settled {
  readonly delivered: boolean;
  readonly error: string | null;
  /** null ends the delivery. */
  readonly retryAt: Date | null;
  readonly at?: Date;
  /** null: there was none. absent: the log does not show it. */
  readonly response?: { readonly status: number; readonly text: string } | null;
}

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
    /** Durable on return. Existing ids change nothing. */
    async addAll(batch: readonly DeliveryRecord[]): Promise<void> {
      if (batch.length === 0) return;
      try {
        await deliveries.insertMany([...batch], { ordered: false });
      } catch (error) {
        if (!(error instanceof MongoBulkWriteError)) throw error;
        if ([error.writeErrors].flat().some((one) => one.code !== 11_000)) throw error;
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
    async settle(id: string, { delivered, error, retryAt, response, at }: Settled): Promise<void> {
      const over = retryAt === null;
      const status = delivered ? 'delivered' : over ? 'failed' : 'pending';
      await deliveries.updateOne(
        // A delivery that another process ended stays ended.
        { _id: id, status: 'pending' },
        {
          $set: {
            status,
            lastError: error,
            ...(over ? {} : { dueAt: retryAt }),
            ...(at !== undefined && { lastAttemptAt: at }),
            ...(response !== undefined && {
              lastStatus: response?.status ?? null,
              lastResponse: response?.text ?? null,
            }),
          },
          ...(over && { $unset: { dueAt: true } }),
        },
      );
    },
    /** Deliveries to one webhook, newest first, strictly older than `after`. */
    listOf: (
      organizationId: string,
      endpointId: string,
      {
        status,
        after,
        limit,
      }: { status?: DeliveryRecord['status'] | undefined; after: ListPosition | null; limit: number },
    ): Promise<readonly DeliveryRecord[]> =>
      deliveries
        .find({
          organizationId,
          endpointId,
          ...(status !== undefined && { status }),
          ...(after !== null && {
            createdAt: { $lte: after.createdAt },
            $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
          }),
        })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    /** Makes a delivery due now, with all its attempts. null: the webhook has none with this id. */
    again: (organizationId: string, endpointId: string, _id: string, now: Date): Promise<DeliveryRecord | null> =>
      deliveries.findOneAndUpdate(
        { _id, organizationId, endpointId },
        { $set: { status: 'pending', dueAt: now, attempts: 0 } },
        { returnDocument: 'after' },
      ),
    list: (organizationId: string, projectId: string, limit: number): Promise<readonly DeliveryRecord[]> =>
      deliveries.find({ organizationId, projectId }).sort({ createdAt: -1 }).limit(limit).toArray(),
  };
}

/** Outgoing webhooks, at least once. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
