import { WebhookDeliveryList, WebhookDeliveryQuery, WebhookPath } from '#src/contracts/webhooks/webhook.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDelivery } from '#tools/webhooks/present.ts';
import { requireWebhook } from '#tools/webhooks/require-webhook.ts';

export const listWebhookDeliveries = defineTool({
  name: 'list_webhook_deliveries',
  description:
    'Deliveries of a webhook, newest first, with attempts, the last response and the body. Narrow with status. Pass nextCursor as cursor for the next page. Ids come from list_webhooks.',
  scope: 'keys:manage',
  effect: 'read',
  idempotent: true,
  input: WebhookPath.extend(WebhookDeliveryQuery.shape),
  output: WebhookDeliveryList,
  async run(ctx: ToolContext<'cursorSecret' | 'deliveries' | 'webhooks'>, { webhookId, status, limit, cursor }) {
    const { organizationId } = await requireWebhook(ctx, webhookId);
    const { cursorSecret, deliveries } = ctx.deps;
    const binding = JSON.stringify(['webhook-deliveries', organizationId, webhookId, status ?? null]);
    const after = cursor === undefined ? null : decodeCursor(cursorSecret, binding, cursor);
    // Reads one more than asked for, to know if there is a next page.
    const found = await deliveries.listOf(organizationId, webhookId, { status, after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const next = last && encodeCursor(cursorSecret, binding, { createdAt: last.createdAt, id: last._id });
    return { deliveries: page.map(presentDelivery), nextCursor: next ?? null };
  },
});
