export interface OrganizationRecord {
  readonly _id: string;
  readonly name: string;
  readonly createdAt: Date;
}
export interface ProjectRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly createdAt: Date;
}

export interface OrganizationStore {
  insertOrganization(record: OrganizationRecord): Promise<void>;
  insertProject(record: ProjectRecord): Promise<void>;
  findOrganization(id: string): Promise<OrganizationRecord | null>;
  findProject(organizationId: string, id: string): Promise<ProjectRecord | null>;
  listProjects(organizationId: string): Promise<readonly ProjectRecord[]>;
}
