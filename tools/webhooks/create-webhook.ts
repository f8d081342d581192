import { IssuedWebhook, NewWebhook, webhookLimits } from '#src/contracts/webhooks/webhook.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import { secretNameOf, type WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentWebhook } from '#tools/webhooks/present.ts';
import { requireCallable } from '#tools/webhooks/require-webhook.ts';

type Context = ToolContext<'audit' | 'events' | 'outbound' | 'webhooks' | 'webhookKeyId' | 'webhookSecretOf'>;

export const createWebhook = defineTool({
  name: 'create_webhook',
  description:
    'Subscribes an https address to events of a project. Every event is sent once, signed as Standard Webhooks, and retried. Only this answer contains the signing secret.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: true,
  input: NewWebhook,
  output: IssuedWebhook,
  async run(ctx: Context, { url, events, description, enabled, projectId: named }) {
    const { deps, principal } = ctx;
    const { organizationId, actorId } = principal;
    const projectId = projectFor(principal, named);
    requireCallable(ctx, url);
    if ((await deps.webhooks.countOf(organizationId, projectId)) >= webhookLimits.ofProject)
      throw new AppError(
        'webhook.too_many',
        `The project has ${webhookLimits.ofProject} webhooks, the maximum. Delete one.`,
      );
    const webhook: WebhookRecord = {
      _id: newId('webhook'),
      organizationId,
      projectId,
      url,
      description,
      events: [...new Set(events)],
      enabled,
      disabledReason: enabled ? null : 'request',
      seq: (await deps.events.position(organizationId)).last,
      generation: 1,
      keyId: deps.webhookKeyId,
      previousUntil: null,
      failingSince: null,
      createdBy: actorId,
      createdAt: new Date(),
    };
    await deps.webhooks.insert(webhook);
    await record(ctx, 'webhook.create', webhook._id, { projectId, host: new URL(url).host, events: webhook.events });
    const secret = deps.webhookSecretOf(secretNameOf(webhook._id, webhook.generation));
    return { webhook: presentWebhook(webhook), secret };
  },
});
