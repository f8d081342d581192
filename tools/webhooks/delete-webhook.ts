import { DeletedWebhook, WebhookPath } from '#src/contracts/webhooks/webhook.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { missingWebhook, requireWebhook } from '#tools/webhooks/require-webhook.ts';

export const deleteWebhook = defineTool({
  name: 'delete_webhook',
  description: 'Deletes a webhook. Its deliveries that wait are not sent. Ids come from list_webhooks.',
  scope: 'keys:manage',
  effect: 'destroy',
  idempotent: false,
  recentSignIn: true,
  input: WebhookPath,
  output: DeletedWebhook,
  async run(ctx: ToolContext<'audit' | 'webhooks'>, { webhookId }) {
    const { organizationId, projectId } = await requireWebhook(ctx, webhookId);
    if (!(await ctx.deps.webhooks.delete(organizationId, webhookId))) throw missingWebhook();
    await record(ctx, 'webhook.delete', webhookId, { projectId });
    return { id: webhookId, deleted: true as const };
  },
});
