import { SharedReads } from '#src/concurrency/shared-reads.ts';
import type { OrganizationRecord, ProjectRecord } from '#src/domain/access/organization.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';

/** Reads organizations for nearly every call. Concurrent calls in one organization share one read. */
export function withSharedReads(store: OrganizationStore): OrganizationStore {
  const organizations = new SharedReads<OrganizationRecord | null>((id) => store.findOrganization(id));
  const projects = new SharedReads<readonly ProjectRecord[]>((id) => store.listProjects(id));
  return {
    ...store,
    findOrganization: (id) => organizations.get(id),
    listProjects: (organizationId) => projects.get(organizationId),
  };
}
