import { z } from 'zod';
import { ClientList } from '#src/contracts/organization/app.ts';
import { machineGrantId } from '#tools/oauth/issue.ts';
import { isLive, presentClient } from '#tools/apps/present.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import type { OAuthClient, OAuthGrant } from '#src/domain/access/oauth/records.ts';

export const listClients = defineTool({
  name: 'list_clients',
  description:
    'OAuth clients of the organization that sign in by client credentials, newest first. Secrets are never shown.',
  scope: 'keys:manage',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: ClientList,
  async run({ deps, principal }: ToolContext<'oauth' | 'organizations'>) {
    const { organizationId } = principal;
    const [clients, projects] = await Promise.all([
      deps.oauth.listClients(organizationId),
      deps.organizations.listProjects(organizationId),
    ]);
    const now = new Date();
    const grants = await Promise.all(clients.map(({ _id }) => deps.oauth.findGrant(machineGrantId(_id))));
    const pairs = clients.map((client, index): [OAuthClient, OAuthGrant | null] => [client, grants[index] ?? null]);
    return {
      clients: pairs.flatMap(([client, grant]) =>
        grant !== null && isLive(grant, now) ? [presentClient(client, grant, projects)] : [],
      ),
    };
  },
});
