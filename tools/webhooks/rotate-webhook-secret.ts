import { IssuedWebhook, WebhookPath, WebhookRotation } from '#src/contracts/webhooks/webhook.ts';
import { secretNameOf } from '#src/domain/webhooks/subscription.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentWebhook } from '#tools/webhooks/present.ts';
import { missingWebhook, requireWebhook } from '#tools/webhooks/require-webhook.ts';

export const rotateWebhookSecret = defineTool({
  name: 'rotate_webhook_secret',
  description:
    'Replaces the signing secret of a webhook; deliveries are signed with both for overlapHours, 24 by default. Only this answer contains the new secret. Ids come from list_webhooks.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: true,
  input: WebhookPath.extend(WebhookRotation.shape),
  output: IssuedWebhook,
  async run(ctx: ToolContext<'audit' | 'webhooks' | 'webhookKeyId' | 'webhookSecretOf'>, { webhookId, overlapHours }) {
    const { deps } = ctx;
    const previousUntil = overlapHours === 0 ? null : new Date(Date.now() + overlapHours * 3_600_000);
    const change = { previousUntil, keyId: deps.webhookKeyId };
    const rotated = await deps.webhooks.rotate(await requireWebhook(ctx, webhookId), change);
    if (rotated === null) throw missingWebhook();
    await record(ctx, 'webhook.rotate', webhookId, { projectId: rotated.projectId, overlapHours });
    const secret = deps.webhookSecretOf(secretNameOf(webhookId, rotated.generation));
    return { webhook: presentWebhook(rotated), secret };
  },
});
