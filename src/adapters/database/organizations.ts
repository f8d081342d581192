import type { Collections } from '#src/adapters/database/collections.ts';
import type { OrganizationStore } from '#src/domain/ports/organizations.ts';

export function createOrganizationStore({
  organizations,
  projects,
}: Pick<Collections, 'organizations' | 'projects'>): OrganizationStore {
  return {
    async insertOrganization(record) {
      await organizations.insertOne(record);
    },
    async insertProject(record) {
      await projects.insertOne(record);
    },
    findOrganization: (id) => organizations.findOne({ _id: id }),
    findProject: (organizationId, id) => projects.findOne({ _id: id, organizationId }),
    async renameProject(organizationId, id, name) {
      return (await projects.updateOne({ _id: id, organizationId }, { $set: { name } })).matchedCount === 1;
    },
    listProjects: (organizationId) => projects.find({ organizationId }).limit(1_000).toArray(),
  };
}
