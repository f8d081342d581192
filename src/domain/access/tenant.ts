/** Tenant that a query is limited to, such as a Principal. Only background loops of the system query without one. */
export interface Tenant {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
}

const every = Symbol('every project of the organization');

/**
 * Marks ids that are all projects of their organization: a search then names the organization alone. A list that is made of a marked one, such
 * as a narrowed copy, has no mark, so nobody reads more by it. Source: docs/decisions/0213.
 */
export function asEveryProject(projectIds: readonly string[]): readonly string[] {
  return Object.freeze(Object.defineProperty([...projectIds], every, { value: true }));
}

export const isEveryProject = (projectIds: readonly string[]): boolean => Object.hasOwn(projectIds, every);
