import { ConnectedAppPath, RevokedApp } from '#src/contracts/organization/app.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

/** Same error for an unknown, disconnected or foreign grant: a different one would reveal which ids exist. */
const missing = (): AppError =>
  new AppError('app.not_found', 'You have no connected app with this id. Take an id from the list of connected apps.', {
    errors: [{ pointer: '/appId', code: 'not_found', message: 'take an id from the list of connected apps' }],
  });

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
    if (grant === null || grant.organizationId !== organizationId || grant.kind !== 'person') throw missing();
    if (grant.userId !== session?.userId && !scopes.has('keys:manage')) throw missing();
    if (!(await deps.oauth.revokeGrant(organizationId, appId, new Date()))) throw missing();
    const { clientId, clientName, userId } = grant;
    await record(ctx, 'grant.revoke', appId, { clientId, clientName, userId });
    return { id: appId, revoked: true as const };
  },
});
