import { IssuedApiKey, NewApiKey } from '#src/contracts/organization/api-key.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { invalidInput } from '#tools/call.ts';
import { auditOf } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { presentIssued } from '#tools/keys/present.ts';
import { requireInstalled } from '#tools/uploads/accepted-languages.ts';
import { boundsOf, requireWithinBounds } from '#tools/keys/caller-bounds.ts';

const dayMs = 86_400_000;

/** Keeps a tenant from lifting the operator's limit: only `npm run keys` gives a key more. Error: `request.invalid`. */
function requireRate(ratePerSecond: number | undefined, most: number): void {
  if (ratePerSecond === undefined || most === 0 || ratePerSecond <= most) return;
  throw invalidInput([
    { pointer: '/ratePerSecond', code: 'too_big', message: `at most ${most}, the limit of all keys` },
  ]);
}

/** Error: `request.invalid`, for an address inside of the operator's network. */
function requirePublic(url: string | undefined, outbound: ToolDeps['outbound']): void {
  const message = url === undefined ? null : outbound.refuses(url);
  if (message !== null) throw invalidInput([{ pointer: '/callbackUrl', code: 'outbound_refused', message }]);
}

export const createApiKey = defineTool({
  name: 'create_api_key',
  description: 'Create an API key of one project. Only this answer has the secret.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: true,
  input: NewApiKey,
  output: IssuedApiKey,
  async run(
    ctx: ToolContext<'apiKeys' | 'audit' | 'installation' | 'limits' | 'oauth' | 'outbound' | 'workflows'>,
    { projectId: named, workflowId, deviceId, scopes, expiresInDays, ...plain },
  ) {
    const { deps, principal } = ctx;
    const projectId = projectFor(principal, named);
    requireRate(plain.ratePerSecond, deps.limits.ratePerSecond);
    requirePublic(plain.callbackUrl, deps.outbound);
    requireInstalled(plain.languages, deps.installation);
    const { end, grantId } = await boundsOf(ctx);
    const expiresAt = expiresInDays === undefined ? end : new Date(Date.now() + expiresInDays * dayMs);
    await requireWithinBounds(ctx, { kind: plain.kind, scopes: scopes ?? null, scopesReplace: true, expiresAt });
    const issued = await issueKey(
      { ...deps, audit: auditOf(ctx) },
      {
        ...plain,
        organizationId: principal.organizationId,
        projectId,
        createdBy: principal.actorId,
        scopes: scopes && [...new Set(scopes)],
        ...(workflowId !== undefined && { workflowId }),
        ...(deviceId !== undefined && { deviceId }),
        ...(expiresAt !== null && { expiresAt }),
        ...(grantId !== null && { grantId }),
      },
    );
    return presentIssued(issued);
  },
});
