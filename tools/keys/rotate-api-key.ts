import { ApiKeyPath, IssuedApiKey } from '#src/contracts/organization/api-key.ts';
import { rotateKey } from '#tools/keys/issue-key.ts';
import { auditOf } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentIssued } from '#tools/keys/present.ts';
import { requireKey, requireReach } from '#tools/keys/reach.ts';

export const rotateApiKey = defineTool({
  name: 'rotate_api_key',
  description:
    'A new key in the place of one, with the same scopes, project and end; the old one works for 24 more hours. The new secret is in this answer only. Ids come from list_api_keys.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  input: ApiKeyPath,
  output: IssuedApiKey,
  async run(ctx: ToolContext<'apiKeys' | 'audit' | 'oauth' | 'workflows'>, { keyId }) {
    const { organizationId, actorId } = ctx.principal;
    // Its new secret is as good as a new key: the same bounds.
    await requireReach(ctx, await requireKey(ctx, keyId));
    return presentIssued(await rotateKey({ ...ctx.deps, audit: auditOf(ctx) }, organizationId, keyId, actorId));
  },
});
