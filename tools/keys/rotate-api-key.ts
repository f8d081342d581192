import { ApiKeyPath, IssuedApiKey, RotationQuery } from '#src/contracts/organization/api-key.ts';
import { rotateKey } from '#tools/keys/issue-key.ts';
import { auditOf } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentIssued } from '#tools/keys/present.ts';
import { requireKey, requireWithinBounds } from '#tools/keys/caller-bounds.ts';

export const rotateApiKey = defineTool({
  name: 'rotate_api_key',
  description:
    'Replaces an API key by a new one with the same scopes, project and expiry; the old key works for overlapHours more, 24 by default. Only this answer contains the new secret. Ids come from list_api_keys.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: true,
  input: ApiKeyPath.extend(RotationQuery.shape),
  output: IssuedApiKey,
  async run(ctx: ToolContext<'apiKeys' | 'audit' | 'oauth' | 'workflows'>, { keyId, overlapHours }) {
    const { organizationId, actorId } = ctx.principal;
    // A rotated key is a new secret, so the limits of a new key apply.
    await requireWithinBounds(ctx, await requireKey(ctx, keyId));
    return presentIssued(
      await rotateKey({ ...ctx.deps, audit: auditOf(ctx) }, organizationId, keyId, { actor: actorId, overlapHours }),
    );
  },
});
