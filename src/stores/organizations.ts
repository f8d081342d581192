import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { AppError } from '#src/domain/app-error.ts';
import { mostProjects, type OrganizationStore, type ProjectRecord } from '#src/domain/ports/organizations.ts';

/** What the unique index compares: names that differ in capitals, or in how an accent is written, are one name. */
const nameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

async function unlessTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new AppError('project.name_taken', 'A project of this organization has this name: choose another.', {
      errors: [{ pointer: '/name', code: 'taken', message: 'is the name of another project' }],
    });
  }
}

const shown = { projection: { nameKey: 0 } } as const;

export function createOrganizationStore({
  organizations,
  projects,
}: Pick<Collections, 'organizations' | 'projects'>): OrganizationStore {
  return {
    async insertOrganization(record) {
      await organizations.insertOne(record);
    },
    async insertProject(record) {
      await unlessTaken(projects.insertOne({ ...record, nameKey: nameKeyOf(record.name) }));
    },
    findOrganization: (id) => organizations.findOne({ _id: id }),
    findProject: (organizationId, id) => projects.findOne<ProjectRecord>({ _id: id, organizationId }, shown),
    async renameProject(organizationId, id, name) {
      const change = { $set: { name, nameKey: nameKeyOf(name) } };
      return (await unlessTaken(projects.updateOne({ _id: id, organizationId }, change))).matchedCount === 1;
    },
    listProjects: (organizationId) =>
      projects.find<ProjectRecord>({ organizationId }, shown).sort({ createdAt: 1 }).limit(mostProjects).toArray(),
  };
}
