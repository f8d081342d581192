import { z } from 'zod';
import {
  AnyId,
  Cursor,
  isPlain,
  limits,
  PageLimit,
  plainOnly,
  QueryInteger,
  Timestamp,
} from '#src/contracts/fields.ts';

/**
 * Events that a webhook can subscribe to. Names that the realtime feed has mean the same as there; the others narrow one of those. Source:
 * docs/decisions/0190.
 */
export const webhookEvents = [
  'document.created',
  'document.changed',
  'document.deleted',
  'document.completed',
  'document.failed',
  'run.created',
  'run.waiting',
  'run.completed',
  'run.failed',
  'ocr.created',
  'description.upserted',
  'segmentation.created',
  'record.changed',
  'workflow.changed',
] as const;
export type WebhookEventType = (typeof webhookEvents)[number];

export const webhookLimits = {
  /** Webhooks of a project. */
  ofProject: 10,
  url: 2_048,
  description: 200,
  /** Days without one delivery that arrives, after which a webhook is disabled. */
  failureDays: 5,
  /** Characters of a receiver's response that are kept. */
  responseText: 1_000,
} as const;

/** Reasons why a webhook is disabled: a person or program did it, it failed for days, or the receiver answered 410. */
export const disabledReasons = ['request', 'failing', 'gone'] as const;
const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

/** A subscription of a project without its secret. Source: `webhooks.subscribe`. */
const Webhook = z
  .object({
    id: z.string(),
    projectId: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(webhookEvents)).describe('Types of the events that are sent'),
    enabled: z.boolean().describe('false: only tests are sent'),
    disabledReason: z
      .enum(disabledReasons)
      .nullable()
      .describe('failing: no delivery arrived for days; gone: the receiver answered 410; null: it is enabled'),
    failingSince: Timestamp.nullable().describe('First failed attempt since the last delivery that arrived'),
    previousSecretUntil: Timestamp.nullable().describe(
      'Until then, deliveries are also signed with the replaced secret',
    ),
    createdBy: z.string().describe('User or key that made it'),
    createdAt: Timestamp,
  })
  .meta({ id: 'Webhook' });
export const WebhookReply = z.object({ webhook: Webhook });
export const WebhookList = z.object({ webhooks: z.array(Webhook).describe('Webhooks of the project, newest first') });
export const WebhookListQuery = z.strictObject({
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
});
export const WebhookPath = z.strictObject({ webhookId: AnyId.describe('Webhook identifier') });

const Url = z
  .string()
  .min(1)
  .max(webhookLimits.url)
  .refine(isPlain, plainOnly)
  .describe('Public https address that receives POST requests; private ones only if the operator lists them');
const Description = z.string().trim().max(webhookLimits.description).refine(isPlain, plainOnly);
const Events = z
  .array(z.enum(webhookEvents))
  .min(1)
  .max(webhookEvents.length)
  .describe('Types of the events to send; run.completed has every end of a run, run.failed only the failed ones');
export const NewWebhook = z.strictObject({
  url: Url,
  events: Events,
  description: Description.default(''),
  enabled: z.boolean().default(true).describe('false: only tests are sent'),
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
});
export const WebhookChange = z.strictObject({
  url: Url.optional(),
  events: Events.optional(),
  description: Description.optional(),
  enabled: z.boolean().optional().describe('true: events from now on; those of the time in between are not sent'),
});
export const IssuedWebhook = WebhookReply.extend({
  secret: z
    .string()
    .describe('Signing secret, whsec_ and base64. Shown once: verify the header webhook-signature with it'),
});
export const WebhookRotation = z.strictObject({
  overlapHours: QueryInteger(0, limits.rotationOverlapHoursMax)
    .default(limits.rotationOverlapHours)
    .describe('Hours that deliveries are signed with the old secret beside the new one'),
});
export const DeletedWebhook = z.object({ id: z.string(), deleted: z.literal(true) });

/** One event on its way to one webhook, as the log shows it. Source: `webhooks.log`. */
const WebhookDelivery = z
  .object({
    id: z.string().describe('Header webhook-id, the same in every attempt'),
    webhookId: z.string().describe('Webhook identifier'),
    type: z.string().describe('Type of the event; ping for a test'),
    status: z.enum(deliveryStatuses),
    attempts: z.int().describe('Attempts so far'),
    createdAt: Timestamp,
    lastAttemptAt: Timestamp.nullable().describe('null: before the first attempt'),
    nextAttemptAt: Timestamp.nullable().describe('null: there is none'),
    responseStatus: z.int().nullable().describe('HTTP status of the last response; null: there was none'),
    responseText: z.string().nullable().describe('Beginning of the last response. Untrusted: the receiver wrote it'),
    error: z.string().nullable(),
    body: z.string().describe('Body of the request, as it was signed'),
  })
  .meta({ id: 'WebhookDelivery' });
export const WebhookDeliveryReply = z.object({ delivery: WebhookDelivery });
export const WebhookDeliveryList = z.object({
  deliveries: z.array(WebhookDelivery).describe('Newest first'),
  nextCursor: z.string().nullable(),
});
export const WebhookDeliveryQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
});
export const WebhookDeliveryPath = WebhookPath.extend({ deliveryId: AnyId.describe('Delivery identifier') });
