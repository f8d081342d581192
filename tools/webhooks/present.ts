import type { z } from 'zod';
import type { WebhookDeliveryReply, WebhookReply } from '#src/contracts/webhooks/webhook.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import type { WebhookRecord } from '#src/domain/webhooks/subscription.ts';

export function presentWebhook(webhook: WebhookRecord): z.input<typeof WebhookReply>['webhook'] {
  const { _id: id, projectId, url, description, events, enabled, disabledReason, createdBy } = webhook;
  const { failingSince, previousUntil, createdAt } = webhook;
  return {
    id,
    projectId,
    url,
    description,
    events: [...events],
    enabled,
    disabledReason,
    failingSince: failingSince?.toISOString() ?? null,
    previousSecretUntil: previousUntil !== null && previousUntil > new Date() ? previousUntil.toISOString() : null,
    createdBy,
    createdAt: createdAt.toISOString(),
  };
}

export const presentDelivery = (delivery: DeliveryRecord): z.input<typeof WebhookDeliveryReply>['delivery'] => ({
  id: delivery._id,
  webhookId: delivery.endpointId ?? '',
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  createdAt: delivery.createdAt.toISOString(),
  lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
  nextAttemptAt: delivery.status === 'pending' ? (delivery.dueAt?.toISOString() ?? null) : null,
  responseStatus: delivery.lastStatus ?? null,
  responseText: delivery.lastResponse ?? null,
  error: delivery.lastError,
  body: delivery.payload,
});
