import { SharedReads } from '#src/concurrency/shared-reads.ts';
import type { OrganizationRecord, ProjectRecord } from '#src/domain/access/organization.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';

/** What nearly every call asks for: calls in one organization that come at once are answered by one read. */
export function withSharedReads(store: OrganizationStore): OrganizationStore {
  const organizations = new SharedReads<OrganizationRecord | null>((id) => store.findOrganization(id));
  const projects = new SharedReads<readonly ProjectRecord[]>((id) => store.listProjects(id));
  return {
    ...store,
    findOrganization: (id) => organizations.get(id),
    listProjects: (organizationId) => projects.get(organizationId),
  };
}
