export interface OrganizationRecord {
  readonly _id: string;
  readonly name: string;
  /** Missing in organizations of older versions. */
  readonly slug?: string;
  /** Members without a second factor are refused. Missing: they are not. */
  readonly requiresSecondFactor?: boolean;
  readonly createdAt: Date;
}

export interface ProjectRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Most projects of one organization. */
export const mostProjects = 1_000;
