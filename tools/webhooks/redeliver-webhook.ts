import { WebhookDeliveryPath, WebhookDeliveryReply } from '#src/contracts/webhooks/webhook.ts';
import { AppError } from '#src/domain/app-error.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDelivery } from '#tools/webhooks/present.ts';
import { requireWebhook } from '#tools/webhooks/require-webhook.ts';

export const redeliverWebhook = defineTool({
  name: 'redeliver_webhook',
  description:
    'Sends a delivery again, with the same body and webhook-id, whatever became of it. Ids come from list_webhook_deliveries.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  audit: false,
  input: WebhookDeliveryPath,
  output: WebhookDeliveryReply,
  async run(ctx: ToolContext<'deliveries' | 'pushDeliveries' | 'webhooks'>, { webhookId, deliveryId }) {
    const { organizationId, enabled } = await requireWebhook(ctx, webhookId);
    if (!enabled) throw new AppError('webhook.disabled', 'The webhook is disabled. Enable it, then redeliver.');
    const delivery = await ctx.deps.deliveries.again(organizationId, webhookId, deliveryId, new Date());
    if (delivery === null)
      throw new AppError(
        'webhook.delivery_not_found',
        'The webhook has no delivery with this id. List its deliveries; old ones are deleted.',
      );
    ctx.deps.pushDeliveries();
    return { delivery: presentDelivery(delivery) };
  },
});
