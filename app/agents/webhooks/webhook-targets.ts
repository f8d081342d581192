import { webhookLimits, type disabledReasons } from '#src/contracts/webhooks/webhook.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import { signingNames, type WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import type { SigningKeys } from '#src/domain/webhooks/signing-keys.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { WebhookStore } from '#src/stores/webhooks/webhook-store.ts';

interface Parts {
  readonly webhooks: Pick<WebhookStore, 'find' | 'noteFailing' | 'disable'>;
  readonly audit: Pick<AuditLog, 'noteOnce'>;
  readonly signing: Pick<SigningKeys, 'secretsMadeBy' | 'secretsOf'>;
}

/** Address and secrets of one attempt. */
export interface DeliveryTarget {
  readonly url: string;
  readonly secrets: readonly string[];
  /** Tells how the attempt ended. */
  ended(outcome: { readonly delivered: boolean; readonly gone: boolean; readonly at: Date }): Promise<void>;
}

const dayMs = 86_400_000;

/** Ends of attempts: the first failure is noted, days of failures and a 410 disable the webhook. Nothing is written while all goes well. */
function endOf({ webhooks, audit }: Parts, webhook: WebhookRecord): DeliveryTarget['ended'] {
  const disable = async (reason: (typeof disabledReasons)[number], at: Date): Promise<void> => {
    if (!(await webhooks.disable(webhook, reason))) return;
    const { organizationId, projectId, _id: target } = webhook;
    const entry = { organizationId, actor: 'system', action: 'webhook.disable', target, detail: { projectId, reason } };
    await audit.noteOnce(entry, [target, at.toISOString()]);
  };
  return async ({ delivered, gone, at }) => {
    const { failingSince } = webhook;
    if (delivered) {
      if (failingSince !== null) await webhooks.noteFailing(webhook, null);
      return;
    }
    if (gone) await disable('gone', at);
    else if (failingSince === null) await webhooks.noteFailing(webhook, at);
    else if (at.getTime() - failingSince.getTime() >= webhookLimits.failureDays * dayMs) await disable('failing', at);
  };
}

/** Finds the webhook of a delivery, as it is now. A text says why nothing is sent. */
export function createWebhookTargets(parts: Parts) {
  return async ({ organizationId, endpointId, type }: DeliveryRecord, now: Date): Promise<DeliveryTarget | string> => {
    const webhook = endpointId === undefined ? null : await parts.webhooks.find(organizationId, endpointId);
    if (webhook === null) return 'The webhook was deleted.';
    // Tests go to disabled webhooks too: an admin tries the receiver before enabling.
    if (!webhook.enabled && type !== 'ping') return 'The webhook is disabled. Enable it, then redeliver.';
    const [name, ...replaced] = signingNames(webhook, now);
    const secrets = [
      ...parts.signing.secretsMadeBy(webhook.keyId, name),
      // A replaced secret may be older than the present key, and does not say which one made it.
      ...replaced.flatMap((one) => parts.signing.secretsOf(one)),
    ];
    return { url: webhook.url, secrets, ended: endOf(parts, webhook) };
  };
}

export type WebhookTargets = ReturnType<typeof createWebhookTargets>;
