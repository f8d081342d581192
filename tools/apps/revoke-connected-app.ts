import { ConnectedAppPath, RevokedApp } from '#src/contracts/organization/app.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

/** Unknown, disconnected before, another organization's, or somebody else's: one answer. */
const missing = (): AppError =>
  new AppError('app.not_found', 'No connected app with this id is yours: the list of connected apps shows them.', {
    errors: [{ pointer: '/appId', code: 'not_found', message: 'take an id from the list of connected apps' }],
  });

export const revokeConnectedApp = defineTool({
  name: 'revoke_connected_app',
  description:
    'Disconnects a program that was let act for somebody: its tokens stop working at once. Everybody disconnects their own; who may manage keys disconnects any. Ids come from list_connected_apps.',
  // Whoever let a program in may send it away: what it takes for those of others is asked below.
  scope: 'members:read',
  effect: 'destroy',
  idempotent: false,
  input: ConnectedAppPath,
  output: RevokedApp,
  async run(ctx: ToolContext<'audit' | 'oauth'>, { appId }) {
    const { deps, principal } = ctx;
    const { organizationId, session, scopes } = principal;
    const grant = await deps.oauth.findGrant(appId);
    if (grant === null || grant.organizationId !== organizationId || grant.kind !== 'person') throw missing();
    if (grant.userId !== session?.userId && !scopes.has('keys:manage')) throw missing();
    if (!(await deps.oauth.revokeGrant(organizationId, appId, new Date()))) throw missing();
    const { clientId, clientName, userId } = grant;
    await record(ctx, 'grant.revoke', appId, { clientId, clientName, userId });
    return { id: appId, revoked: true as const };
  },
});
