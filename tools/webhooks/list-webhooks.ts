import { WebhookList, WebhookListQuery } from '#src/contracts/webhooks/webhook.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentWebhook } from '#tools/webhooks/present.ts';

export const listWebhooks = defineTool({
  name: 'list_webhooks',
  description: 'Webhooks of a project, newest first, without their secrets.',
  scope: 'keys:manage',
  effect: 'read',
  idempotent: true,
  input: WebhookListQuery,
  output: WebhookList,
  async run({ deps, principal }: ToolContext<'webhooks'>, { projectId: named }) {
    const found = await deps.webhooks.list(principal.organizationId, projectFor(principal, named));
    return { webhooks: found.map(presentWebhook) };
  },
});
