import { IssuedApiKey, NewApiKey } from '#src/contracts/organization/api-key.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { auditOf } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentIssued } from '#tools/keys/present.ts';
import { boundsOf, requireReach } from '#tools/keys/reach.ts';

const dayMs = 86_400_000;

export const createApiKey = defineTool({
  name: 'create_api_key',
  description:
    'A new API key of one project. A workflow key uploads documents, which its workflow then works on; a service key runs workflows and works with documents, and has scopes beside. One that a program makes stops with the access of the program. Its secret is in this answer only.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  input: NewApiKey,
  output: IssuedApiKey,
  async run(
    ctx: ToolContext<'apiKeys' | 'audit' | 'oauth' | 'workflows'>,
    { kind, name, projectId: named, workflowId, deviceId, scopes, ratePerSecond, expiresInDays },
  ) {
    const { deps, principal } = ctx;
    const projectId = projectFor(principal, named);
    const { end, grantId } = await boundsOf(ctx);
    const expiresAt = expiresInDays === undefined ? end : new Date(Date.now() + expiresInDays * dayMs);
    await requireReach(ctx, { kind, scopes: scopes ?? null, expiresAt });
    const issued = await issueKey(
      { ...deps, audit: auditOf(ctx) },
      {
        kind,
        name,
        organizationId: principal.organizationId,
        projectId,
        createdBy: principal.actorId,
        scopes: scopes && [...new Set(scopes)],
        ratePerSecond,
        ...(workflowId !== undefined && { workflowId }),
        ...(deviceId !== undefined && { deviceId }),
        ...(expiresAt !== null && { expiresAt }),
        ...(grantId !== null && { grantId }),
      },
    );
    return presentIssued(issued);
  },
});
