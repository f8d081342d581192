import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';

/** Projects, members, keys, secrets, and what was done to them. */
export function mountDashboardOrganization(bind: Bind): void {
  const rows = dashboardOrganization;
  bind(rows.projects, tools.listProjects);
  bind(rows.createProject, tools.createProject);
  bind(rows.renameProject, tools.renameProject);
  bind(rows.members, tools.listMembers);
  bind(rows.changeRole, tools.changeMemberRole);
  bind(rows.removeMember, tools.removeMember);
  bind(rows.invitations, tools.listInvitations);
  bind(rows.invite, tools.inviteMember);
  bind(rows.cancelInvitation, tools.cancelInvitation);
  bind(rows.keys, tools.listApiKeys);
  bind(rows.issueKey, tools.createApiKey);
  bind(rows.rotateKey, tools.rotateApiKey);
  bind(rows.revokeKey, tools.revokeApiKey);
  bind(rows.apps, tools.listConnectedApps);
  bind(rows.revokeApp, tools.revokeConnectedApp);
  bind(rows.clients, tools.listClients);
  bind(rows.createClient, tools.createClient);
  bind(rows.removeClient, tools.removeClient);
  bind(rows.secrets, tools.listSecrets);
  bind(rows.setSecret, tools.setSecret);
  bind(rows.deleteSecret, tools.deleteSecret);
  bind(rows.audit, tools.listAuditRecords);
}
