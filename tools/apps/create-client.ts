import { IssuedClient, NewClient } from '#src/contracts/organization/app.ts';
import { grantScopes } from '#src/contracts/scopes.ts';
import { createOrganizationClient } from '#tools/oauth/issue.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { presentClient } from '#tools/apps/present.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

const dayMs = 86_400_000;
/** Of one organization: the list reads the grant of each. */
const mostClients = 50;

export const createClient = defineTool({
  name: 'create_client',
  description:
    "A program of the organization's own that acts for itself by client credentials, in some projects and with some scopes. It goes on when who made it has left, until it is removed. Its secret is in this answer only.",
  scope: 'keys:manage',
  effect: 'write',
  idempotent: false,
  input: NewClient,
  output: IssuedClient,
  async run(
    ctx: ToolContext<'audit' | 'mcpEndpoint' | 'oauth' | 'organizations'>,
    { name, projectIds: named, scopes: wanted, expiresInDays },
  ) {
    const { deps, principal } = ctx;
    const { organizationId, session } = principal;
    // It goes on when the key, the grant or the person that made it is gone.
    if (session === null) throw new AppError('auth.forbidden', 'A person sets up clients: sign in to do it.');
    const projectIds = [...new Set(named.map((id) => projectFor(principal, id)))];
    const lacking = wanted.filter((scope) => !principal.scopes.has(scope));
    if (lacking.length > 0)
      throw new AppError('auth.forbidden', `Nobody can give what they lack: ${lacking.join(', ')}.`, {
        errors: [{ pointer: '/scopes', code: 'forbidden', message: `you lack ${lacking.join(', ')}` }],
      });
    const [clients, projects] = await Promise.all([
      deps.oauth.listClients(organizationId),
      deps.organizations.listProjects(organizationId),
    ]);
    const now = new Date();
    if (clients.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).length >= mostClients)
      throw new AppError('auth.forbidden', `An organization has at most ${mostClients} clients: remove one first.`);
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
