import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import type { WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import type { Stores } from '#test/support/database.ts';

interface Who {
  readonly organizationId: string;
  readonly projectIds: [string];
  readonly documentId: string;
  readonly deliveryId: string;
}
type Try = (asker: Who, target: Who) => Promise<unknown>;

const now = new Date();

/** Id of the webhook that each organization has. Operators stay operators. */
const webhookIdOf = (documentId: string): string => (typeof documentId === 'string' ? `wh_${documentId}` : documentId);

/** A delivery of an `emit` node. */
export const deliveryOf = (
  { organizationId, projectIds }: Pick<Who, 'organizationId' | 'projectIds'>,
  _id: string,
): DeliveryRecord => {
  const message = { url: 'https://example.com/', type: 'run.emitted', payload: JSON.stringify({ organizationId }) };
  const fresh = { attempts: 0, status: 'pending', lastError: null, createdAt: now, dueAt: now } as const;
  return { _id, organizationId, projectId: projectIds[0], ...message, ...fresh };
};

export const webhookOf = ({
  organizationId,
  projectIds,
  documentId,
}: Pick<Who, 'organizationId' | 'projectIds' | 'documentId'>): WebhookRecord => ({
  _id: webhookIdOf(documentId),
  organizationId,
  projectId: projectIds[0],
  url: 'https://example.com/',
  description: organizationId,
  events: ['run.failed'],
  enabled: true,
  disabledReason: null,
  seq: 0,
  generation: 1,
  previousUntil: null,
  failingSince: null,
  createdBy: 'usr_a',
  createdAt: now,
});

/** Stores a webhook with one delivery, beside one that is for none. */
export async function seedWebhook(
  { webhooks, deliveries }: Stores,
  who: Pick<Who, 'organizationId' | 'projectIds' | 'documentId'>,
  deliveryId: string,
): Promise<void> {
  const webhook = webhookOf(who);
  await webhooks.insert(webhook);
  await deliveries.addAll([
    deliveryOf(who, `${deliveryId}_other`),
    { ...deliveryOf(who, deliveryId), endpointId: webhook._id },
  ]);
}

export const webhookReads = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  'webhooks.list': (who, { projectIds }) => stores().webhooks.list(who.organizationId, projectIds[0]),
  'webhooks.countOf': (who, { projectIds }) => stores().webhooks.countOf(who.organizationId, projectIds[0]),
  'webhooks.find': (who, { documentId }) => stores().webhooks.find(who.organizationId, webhookIdOf(documentId)),
  'webhooks.enabledOf': (who) => stores().webhooks.enabledOf(who.organizationId),
  'deliveries.list': (who, { projectIds }) => stores().deliveries.list(who.organizationId, projectIds[0], 100),
  'deliveries.listOf': (who, { documentId }) =>
    stores().deliveries.listOf(who.organizationId, webhookIdOf(documentId), { after: null, limit: 100 }),
});

export const webhookChanges = (stores: () => Stores): Readonly<Record<string, Try>> => {
  const theirs = ({ organizationId }: Who, target: Who): WebhookRecord => ({ ...webhookOf(target), organizationId });
  return {
    'webhooks.insert': (who, target) => stores().webhooks.insert(theirs(who, target)),
    'webhooks.change': (who, { documentId }) =>
      stores().webhooks.change(who.organizationId, webhookIdOf(documentId), { url: 'https://other.example/' }),
    'webhooks.rotate': (who, target) =>
      stores().webhooks.rotate(theirs(who, target), { previousUntil: now, keyId: 'k' }),
    'webhooks.delete': (who, { documentId }) => stores().webhooks.delete(who.organizationId, webhookIdOf(documentId)),
    'webhooks.advance': (who, { documentId }) =>
      stores().webhooks.advance(who.organizationId, [webhookIdOf(documentId)], 9),
    'webhooks.noteFailing': (who, target) => stores().webhooks.noteFailing(theirs(who, target), now),
    'webhooks.disable': (who, target) => stores().webhooks.disable(theirs(who, target), 'failing'),
    'deliveries.add': (who, target) =>
      stores().deliveries.add({
        ...deliveryOf({ ...target, organizationId: who.organizationId }, target.deliveryId),
        url: 'https://other.example/',
      }),
    'deliveries.addAll': (who, target) =>
      stores().deliveries.addAll([deliveryOf({ ...target, organizationId: who.organizationId }, target.deliveryId)]),
    'deliveries.again': (who, { documentId, deliveryId }) =>
      stores().deliveries.again(who.organizationId, webhookIdOf(documentId), deliveryId, new Date(0)),
  };
};
