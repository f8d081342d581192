export interface OrganizationRecord {
  readonly _id: string;
  readonly name: string;
  /** Missing in organizations of older versions. */
  readonly slug?: string;
  readonly createdAt: Date;
}
export interface ProjectRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Of one organization. */
export const mostProjects = 1_000;

export interface OrganizationStore {
  insertOrganization(record: OrganizationRecord): Promise<void>;
  /** Error: `project.name_taken`, in capitals or not. */
  insertProject(record: ProjectRecord): Promise<void>;
  findOrganization(id: string): Promise<OrganizationRecord | null>;
  findProject(organizationId: string, id: string): Promise<ProjectRecord | null>;
  /** False when there is none. Error: `project.name_taken`. */
  renameProject(organizationId: string, id: string, name: string): Promise<boolean>;
  /** Oldest first, at most `mostProjects`. */
  listProjects(organizationId: string): Promise<readonly ProjectRecord[]>;
}
