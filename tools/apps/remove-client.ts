import { ClientPath, RemovedClient } from '#src/contracts/organization/app.ts';
import { removeOrganizationClient } from '#tools/oauth/issue.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const removeClient = defineTool({
  name: 'remove_client',
  description:
    'Removes an OAuth client of the organization: its secret and its tokens stop working at once. Ids come from list_clients.',
  scope: 'keys:manage',
  effect: 'destroy',
  idempotent: false,
  recentSignIn: true,
  input: ClientPath,
  output: RemovedClient,
  async run(ctx: ToolContext<'audit' | 'oauth'>, { clientId }) {
    const { deps, principal } = ctx;
    if (!(await removeOrganizationClient(deps.oauth, principal.organizationId, clientId, new Date())))
      throw new AppError(
        'client.not_found',
        'The organization has no client with this id. Take an id from the list of clients.',
        {
          errors: [{ pointer: '/clientId', code: 'not_found', message: 'take an id from the list of clients' }],
        },
      );
    await record(ctx, 'client.remove', clientId);
    return { clientId, removed: true as const };
  },
});
