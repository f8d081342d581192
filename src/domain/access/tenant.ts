/** Whose data a query may touch; a Principal is one. There is no query without it, but for the system's own loops. */
export interface Tenant {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
}
