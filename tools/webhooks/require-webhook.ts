import { AppError } from '#src/domain/app-error.ts';
import type { WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import type { ToolContext } from '#tools/define.ts';

export const missingWebhook = (): AppError =>
  new AppError(
    'webhook.not_found',
    'No webhook with this id belongs to your projects. List the webhooks for their ids.',
  );

/** Webhook of a project of the caller. Error: `webhook.not_found`, also for those of others. */
export async function requireWebhook(
  { deps, principal }: ToolContext<'webhooks'>,
  webhookId: string,
): Promise<WebhookRecord> {
  const webhook = await deps.webhooks.find(principal.organizationId, webhookId);
  if (webhook === null || !principal.projectIds.includes(webhook.projectId)) throw missingWebhook();
  return webhook;
}

/** Refuses an address that can never be called. Error: `webhook.url`. */
export function requireCallable({ deps }: ToolContext<'outbound'>, url: string): void {
  const refused = deps.outbound.refuses(url);
  if (refused === null) return;
  const message = `${refused}. Use a public https address`;
  throw new AppError('webhook.url', `url: ${message}.`, { errors: [{ pointer: '/url', code: 'refused', message }] });
}
