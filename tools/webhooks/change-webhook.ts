import { WebhookChange, WebhookPath, WebhookReply } from '#src/contracts/webhooks/webhook.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentWebhook } from '#tools/webhooks/present.ts';
import { missingWebhook, requireCallable, requireWebhook } from '#tools/webhooks/require-webhook.ts';

export const changeWebhook = defineTool({
  name: 'change_webhook',
  description:
    'Changes the address, events or description of a webhook, or enables or disables it. An enabled webhook gets events from now on. Ids come from list_webhooks.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: true,
  recentSignIn: true,
  input: WebhookPath.extend(WebhookChange.shape),
  output: WebhookReply,
  async run(ctx: ToolContext<'audit' | 'events' | 'outbound' | 'webhooks'>, { webhookId, ...given }) {
    const { deps } = ctx;
    const { organizationId, projectId, enabled: wasEnabled } = await requireWebhook(ctx, webhookId);
    const { url, events, description, enabled } = given;
    if (url !== undefined) requireCallable(ctx, url);
    const starts = enabled === true && !wasEnabled;
    const changed = await deps.webhooks.change(organizationId, webhookId, {
      ...(url !== undefined && { url, addressBy: ctx.principal.actorId }),
      ...(events !== undefined && { events: [...new Set(events)] }),
      ...(description !== undefined && { description }),
      ...(enabled === false && wasEnabled && { enabled, disabledReason: 'request' as const }),
      ...(starts && {
        enabled,
        disabledReason: null,
        failingSince: null,
        seq: (await deps.events.position(organizationId)).last,
      }),
      // Another address has no failures yet.
      ...(url !== undefined && { failingSince: null }),
    });
    if (changed === null) throw missingWebhook();
    await record(ctx, 'webhook.change', webhookId, {
      projectId,
      ...(url !== undefined && { host: new URL(url).host }),
      ...(events !== undefined && { events }),
      ...(enabled !== undefined && { enabled }),
    });
    return { webhook: presentWebhook(changed) };
  },
});
