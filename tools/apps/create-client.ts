import { IssuedClient, NewClient } from '#src/contracts/organization/app.ts';
import { grantScopes } from '#src/contracts/scopes.ts';
import { createOrganizationClient } from '#tools/oauth/issue.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { presentClient } from '#tools/apps/present.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

const dayMs = 86_400_000;
/** Limits clients per organization, because the list reads the grant of each. */
const mostClients = 50;

export const createClient = defineTool({
  name: 'create_client',
  description:
    'Creates an OAuth client of the organization that signs in by client credentials, limited to projects and scopes. It ends when it is removed, or with the membership of its creator unless the removal keeps it. Only this answer contains its secret.',
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  recentSignIn: true,
  input: NewClient,
  output: IssuedClient,
  async run(
    ctx: ToolContext<'audit' | 'mcpEndpoint' | 'oauth' | 'organizations'>,
    { name, projectIds: named, scopes: wanted, expiresInDays },
  ) {
    const { deps, principal } = ctx;
    const { organizationId, session } = principal;
    // A client outlives the credential that made it, so a program may not make one.
    if (session === null)
      throw new AppError(
        'auth.forbidden',
        'Only a signed-in person can create clients. Sign in to the dashboard and create it there.',
      );
    const projectIds = [...new Set(named.map((id) => projectFor(principal, id)))];
    const lacking = wanted.filter((scope) => !principal.scopes.has(scope));
    if (lacking.length > 0)
      throw new AppError(
        'auth.forbidden',
        `You cannot grant scopes that you lack: ${lacking.join(', ')}. Leave them out.`,
        {
          errors: [{ pointer: '/scopes', code: 'forbidden', message: `you lack ${lacking.join(', ')}` }],
        },
      );
    const [clients, projects] = await Promise.all([
      deps.oauth.listClients(organizationId),
      deps.organizations.listProjects(organizationId),
    ]);
    const now = new Date();
    if (clients.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).length >= mostClients)
      throw new AppError(
        'auth.forbidden',
        `The organization has ${mostClients} clients, the maximum. Remove one and retry.`,
      );
    const { client, secret, grant } = await createOrganizationClient(deps.oauth, {
      name,
      organizationId,
      userId: session.userId,
      projectIds,
      scopes: grantScopes.filter((scope) => wanted.includes(scope)),
      resource: deps.mcpEndpoint(),
      expiresAt: expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * dayMs),
      now,
    });
    await record(ctx, 'client.create', client._id, { name, projectIds, scopes: grant.scopes });
    return { client: presentClient(client, grant, projects), secret };
  },
});
