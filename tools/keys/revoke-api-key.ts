import { ApiKey, ApiKeyPath } from '#src/contracts/organization/api-key.ts';
import { revokeKey } from '#tools/keys/issue-key.ts';
import { auditOf } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentKey } from '#tools/keys/present.ts';
import { requireKey } from '#tools/keys/caller-bounds.ts';

export const revokeApiKey = defineTool({
  name: 'revoke_api_key',
  description: 'Revokes an API key at once and permanently.',
  scope: 'keys:manage',
  effect: 'destroy',
  idempotent: false,
  recentSignIn: true,
  input: ApiKeyPath,
  output: ApiKey,
  async run(ctx: ToolContext<'apiKeys' | 'audit'>, { keyId }) {
    const { organizationId, actorId } = ctx.principal;
    await requireKey(ctx, keyId);
    await revokeKey({ ...ctx.deps, audit: auditOf(ctx) }, organizationId, keyId, actorId);
    return presentKey(await requireKey(ctx, keyId));
  },
});
