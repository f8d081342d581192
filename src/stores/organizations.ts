import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { AppError } from '#src/domain/app-error.ts';
import { mostProjects, type ProjectRecord, type OrganizationRecord } from '#src/domain/access/organization.ts';

/** Key of the unique index. Names that differ only in capitals or in the encoding of accents share a key. */
const nameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

async function unlessTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new AppError(
      'project.name_taken',
      'Another project of this organization has this name. Choose another name.',
      {
        errors: [{ pointer: '/name', code: 'taken', message: 'is the name of another project' }],
      },
    );
  }
}

const shown = { projection: { nameKey: 0 } } as const;

export function createOrganizationStore({ organizations, projects }: Pick<Collections, 'organizations' | 'projects'>) {
  return {
    async insertOrganization(record: OrganizationRecord): Promise<void> {
      await organizations.insertOne(record);
    },
    /** Error: `project.name_taken`, which ignores capitals. */
    async insertProject(record: ProjectRecord): Promise<void> {
      await unlessTaken(projects.insertOne({ ...record, nameKey: nameKeyOf(record.name) }));
    },
    /** Ids of organizations in their order, after `after`. */
    async idsAfter(after: string, limit: number): Promise<readonly string[]> {
      const found = await organizations
        .find({ _id: { $gt: after } }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },
    findOrganization: (id: string): Promise<OrganizationRecord | null> => organizations.findOne({ _id: id }),
    /** Returns the organization before the change; null: there is none. */
    demandSecondFactor: (id: string, requiresSecondFactor: boolean): Promise<OrganizationRecord | null> =>
      organizations.findOneAndUpdate({ _id: id }, { $set: { requiresSecondFactor } }),
    findProject: (organizationId: string, id: string): Promise<ProjectRecord | null> =>
      projects.findOne<ProjectRecord>({ _id: id, organizationId }, shown),
    /** False when there is no such project. Error: `project.name_taken`. */
    async renameProject(organizationId: string, id: string, name: string): Promise<boolean> {
      const change = { $set: { name, nameKey: nameKeyOf(name) } };
      return (await unlessTaken(projects.updateOne({ _id: id, organizationId }, change))).matchedCount === 1;
    },
    /** Projects of all organizations, for a start that adds something to each. */
    everyProject: (): AsyncIterable<Pick<ProjectRecord, '_id' | 'organizationId'>> =>
      projects
        .find<Pick<ProjectRecord, '_id' | 'organizationId'>>(
          { _id: { $gt: '' } },
          { projection: { organizationId: 1 } },
        )
        .sort({ _id: 1 }),
    /** Lists projects, oldest first, at most `mostProjects`. */
    listProjects: (organizationId: string): Promise<readonly ProjectRecord[]> =>
      projects.find<ProjectRecord>({ organizationId }, shown).sort({ createdAt: 1 }).limit(mostProjects).toArray(),
  };
}

export type OrganizationStore = ReturnType<typeof createOrganizationStore>;
