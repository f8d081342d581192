import { WebhookDeliveryReply, WebhookPath } from '#src/contracts/webhooks/webhook.ts';
import { newId } from '#src/domain/ids.ts';
import { freshDelivery } from '#src/domain/webhooks/subscription.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDelivery } from '#tools/webhooks/present.ts';
import { requireWebhook } from '#tools/webhooks/require-webhook.ts';

export const testWebhook = defineTool({
  name: 'test_webhook',
  description:
    'Sends a delivery of type ping to a webhook, also to a disabled one. list_webhook_deliveries has its outcome. Ids come from list_webhooks.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  audit: false,
  input: WebhookPath,
  output: WebhookDeliveryReply,
  async run(ctx: ToolContext<'deliveries' | 'pushDeliveries' | 'webhooks'>, { webhookId }) {
    const webhook = await requireWebhook(ctx, webhookId);
    const { organizationId, projectId } = webhook;
    const now = new Date();
    const type = 'ping';
    const data = { organizationId, projectId, webhookId };
    const payload = JSON.stringify({ type, timestamp: now.toISOString(), data });
    const delivery = freshDelivery(webhook, { id: newId('delivery', now), type, payload, now });
    await ctx.deps.deliveries.add(delivery);
    ctx.deps.pushDeliveries();
    return { delivery: presentDelivery(delivery) };
  },
});
