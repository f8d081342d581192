import { ChangeConnectedApp, ConnectedApp } from '#src/contracts/organization/app.ts';
import { grantableWithin, managesAccess, scopesWithin } from '#src/domain/access/oauth/consent-choice.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isLive, missingApp, presentApp } from '#tools/apps/present.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const changeConnectedApp = defineTool({
  name: 'change_connected_app',
  description:
    'Changes what a program may do that acts for you; its tokens and sessions go on. Only its person may do this: others can disconnect it. Ids come from list_connected_apps.',
  scope: 'members:read',
  effect: 'write',
  idempotent: true,
  recentSignIn: ({ scopes }) => managesAccess(scopes),
  input: ChangeConnectedApp,
  output: ConnectedApp,
  async run(ctx: ToolContext<'audit' | 'members' | 'oauth' | 'organizations'>, { appId, scopes: wanted }) {
    const { deps, principal } = ctx;
    const { organizationId, session } = principal;
    const [found, projects, members] = await Promise.all([
      deps.oauth.findGrant(appId),
      deps.organizations.listProjects(organizationId),
      deps.members.list(organizationId),
    ]);
    const isOwn =
      found?.kind === 'person' && found.organizationId === organizationId && found.userId === session?.userId;
    if (!isOwn || !isLive(found, new Date())) throw missingApp();
    const grantable = grantableWithin(principal.scopes);
    const lacking = wanted.filter((scope) => !grantable.includes(scope));
    if (lacking.length > 0)
      throw new AppError(
        'auth.forbidden',
        `You cannot grant scopes that you lack: ${lacking.join(', ')}. Leave them out.`,
        { errors: [{ pointer: '/scopes', code: 'forbidden', message: `you lack ${lacking.join(', ')}` }] },
      );
    const scopes = scopesWithin(wanted, grantable);
    const { scopes: before, added: earlier = [] } = found;
    const added = scopes.filter((scope) => earlier.includes(scope) || !before.includes(scope));
    const grant = await deps.oauth.changeScopes(organizationId, appId, { scopes, added });
    if (grant === null) throw missingApp();
    const { clientId, clientName } = grant;
    await record(ctx, 'grant.change', appId, { clientId, clientName, before, scopes });
    return presentApp(grant, { projects, members }, session.userId);
  },
});
