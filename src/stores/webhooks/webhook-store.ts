import { webhookLimits } from '#src/contracts/webhooks/webhook.ts';
import type { WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import type { Collections } from '#src/stores/collections.ts';

type Changes = Partial<
  Pick<
    WebhookRecord,
    | 'url'
    | 'addressBy'
    | 'events'
    | 'description'
    | 'enabled'
    | 'disabledReason'
    | 'seq'
    | 'failingSince'
    | 'generation'
    | 'previousUntil'
  >
>;

export function createWebhookStore({ webhooks }: Pick<Collections, 'webhooks'>) {
  return {
    async insert(webhook: WebhookRecord): Promise<void> {
      await webhooks.insertOne(webhook);
    },
    countOf: (organizationId: string, projectId: string): Promise<number> =>
      webhooks.countDocuments({ organizationId, projectId }, { limit: webhookLimits.ofProject }),
    /** Newest first. Bounded by the limit of a project. */
    list: (organizationId: string, projectId: string): Promise<readonly WebhookRecord[]> =>
      webhooks.find({ organizationId, projectId }).sort({ createdAt: -1 }).limit(webhookLimits.ofProject).toArray(),
    find: (organizationId: string, _id: string): Promise<WebhookRecord | null> =>
      webhooks.findOne({ _id, organizationId }),
    /** null when it was deleted meanwhile. */
    change: (organizationId: string, _id: string, change: Changes): Promise<WebhookRecord | null> =>
      webhooks.findOneAndUpdate({ _id, organizationId }, { $set: change }, { returnDocument: 'after' }),
    /** Raises the number of the secret by one, unless another call did so meanwhile: null. `keyId` names the key of the new one. */
    rotate: (
      { _id, organizationId, generation }: WebhookRecord,
      { previousUntil, keyId }: { readonly previousUntil: Date | null; readonly keyId: string },
    ): Promise<WebhookRecord | null> =>
      webhooks.findOneAndUpdate(
        { _id, organizationId, generation },
        { $set: { generation: generation + 1, previousUntil, keyId } },
        { returnDocument: 'after' },
      ),
    async delete(organizationId: string, _id: string): Promise<boolean> {
      return (await webhooks.deleteOne({ _id, organizationId })).deletedCount === 1;
    },
    /** Webhooks of one page, of all organizations, whose newest secret was not made with this key, as far as it is known. */
    async signedElsewhere(
      keyId: string,
      after: string,
      limit: number,
    ): Promise<{ found: readonly WebhookRecord[]; next: string | null }> {
      const rows = await webhooks
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      const next = rows.length < limit ? null : (rows.at(-1)?._id ?? null);
      return { found: rows.filter((row) => row.keyId !== keyId), next };
    },
    /** Organizations with an enabled webhook. */
    organizations: (): Promise<string[]> => webhooks.distinct('organizationId', { enabled: true }),
    enabledOf: (organizationId: string): Promise<readonly WebhookRecord[]> =>
      webhooks.find({ organizationId, enabled: true }).toArray(),
    /** Notes that the log of the organization was looked at up to `seq`. Never goes back. */
    async advance(organizationId: string, ids: readonly string[], seq: number): Promise<void> {
      await webhooks.updateMany({ _id: { $in: [...ids] }, organizationId, seq: { $lt: seq } }, { $set: { seq } });
    },
    /** Notes the first failure after a success; `null` ends it. */
    async noteFailing({ organizationId, _id }: Pick<WebhookRecord, 'organizationId' | '_id'>, since: Date | null) {
      await webhooks.updateOne(
        { _id, organizationId, ...(since !== null && { failingSince: null }) },
        { $set: { failingSince: since } },
      );
    },
    /** Disables a webhook. False when it is disabled already, or gone. */
    async disable(
      { organizationId, _id }: Pick<WebhookRecord, 'organizationId' | '_id'>,
      disabledReason: NonNullable<WebhookRecord['disabledReason']>,
    ): Promise<boolean> {
      const { modifiedCount } = await webhooks.updateOne(
        { _id, organizationId, enabled: true },
        { $set: { enabled: false, disabledReason } },
      );
      return modifiedCount === 1;
    },
  };
}

/** Webhooks of projects. Source: docs/decisions/0190. */
export type WebhookStore = ReturnType<typeof createWebhookStore>;
