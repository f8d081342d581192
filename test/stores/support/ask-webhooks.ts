import type { Stores } from '#test/support/database.ts';
import { deliveryOf, webhookOf } from '#test/support/tenancy/webhooks.ts';

/** Every query about webhooks of projects, and the outbox that callbacks share with them. */
export async function askWebhooks(
  { webhooks, deliveries }: Stores,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
): Promise<void> {
  const now = new Date();
  const who = { organizationId, projectIds: [projectId] as [string], documentId: 'doc_a' };
  const webhook = webhookOf(who);
  await webhooks.insert(webhook);
  await webhooks.countOf(organizationId, projectId);
  await webhooks.list(organizationId, projectId);
  await webhooks.find(organizationId, webhook._id);
  await webhooks.change(organizationId, webhook._id, { description: 'x' });
  await webhooks.rotate(webhook, { previousUntil: now, keyId: 'k' });
  await webhooks.signedElsewhere('k', '', 10);
  await webhooks.organizations();
  await webhooks.enabledOf(organizationId);
  await webhooks.advance(organizationId, [webhook._id], 1);
  await webhooks.noteFailing(webhook, now);
  await webhooks.noteFailing(webhook, null);
  await webhooks.disable(webhook, 'failing');
  await deliveries.add(deliveryOf(who, 'dlv_a'));
  await deliveries.addAll([{ ...deliveryOf(who, 'dlv_b'), endpointId: webhook._id }]);
  await deliveries.claim(1_000, now);
  await deliveries.settle('dlv_a', { delivered: true, error: null, retryAt: null });
  await deliveries.list(organizationId, projectId, 10);
  for (const status of [undefined, 'failed'] as const)
    for (const after of [null, { createdAt: now, id: 'dlv_a' }])
      await deliveries.listOf(organizationId, webhook._id, { status, after, limit: 10 });
  await deliveries.again(organizationId, webhook._id, 'dlv_b', now);
  await webhooks.delete(organizationId, webhook._id);
}
