import { ConnectedAppPath, RevokedApp } from '#src/contracts/organization/app.ts';
import { missingApp } from '#tools/apps/present.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const revokeConnectedApp = defineTool({
  name: 'revoke_connected_app',
  description:
    'Disconnects a program that has OAuth access: its tokens stop working at once. You can disconnect your own; with the scope keys:manage, any. Ids come from list_connected_apps.',
  // Members may disconnect their own programs; `run` requires keys:manage for those of others.
  scope: 'members:read',
  effect: 'destroy',
  idempotent: false,
  input: ConnectedAppPath,
  output: RevokedApp,
  async run(ctx: ToolContext<'audit' | 'oauth'>, { appId }) {
    const { deps, principal } = ctx;
    const { organizationId, session, scopes } = principal;
    const grant = await deps.oauth.findGrant(appId);
    if (grant === null || grant.organizationId !== organizationId || grant.kind !== 'person') throw missingApp();
    if (grant.userId !== session?.userId && !scopes.has('keys:manage')) throw missingApp();
    if (!(await deps.oauth.revokeGrant(organizationId, appId, new Date()))) throw missingApp();
    const { clientId, clientName, userId } = grant;
    await record(ctx, 'grant.revoke', appId, { clientId, clientName, userId });
    return { id: appId, revoked: true as const };
  },
});
