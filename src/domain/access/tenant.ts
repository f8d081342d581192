/** Tenant that a query is limited to, such as a Principal. Only background loops of the system query without one. */
export interface Tenant {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
}
