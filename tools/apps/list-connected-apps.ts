import { z } from 'zod';
import { ConnectedAppList } from '#src/contracts/organization/app.ts';
import { isLive, presentApp } from '#tools/apps/present.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listConnectedApps = defineTool({
  name: 'list_connected_apps',
  description:
    'Programs with OAuth access to the organization, newest first: those that you connected, or all of them with the scope keys:manage.',
  scope: 'members:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: ConnectedAppList,
  async run({ deps, principal }: ToolContext<'members' | 'oauth' | 'organizations'>) {
    const { organizationId, session, scopes } = principal;
    const you = session?.userId ?? '';
    const [grants, projects, members] = await Promise.all([
      deps.oauth.listGrants(organizationId, scopes.has('keys:manage') ? undefined : you),
      deps.organizations.listProjects(organizationId),
      deps.members.list(organizationId),
    ]);
    const now = new Date();
    const apps = grants.filter((grant) => grant.kind === 'person' && isLive(grant, now));
    return { apps: apps.map((grant) => presentApp(grant, { projects, members }, you)) };
  },
});
