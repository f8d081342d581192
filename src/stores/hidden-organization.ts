/**
 * Organization that rows of a document in the trash belong to meanwhile. Every read of rows is by organization, so none finds them.
 * Source: docs/decisions/0164.
 */
export const hiddenOrganization = (organizationId: string): string => `trash/${organizationId}`;

/** Organizations that rows of a document may belong to, in the trash and outside. */
export const homesOf = (organizationId: string): readonly [string, string] => [
  organizationId,
  hiddenOrganization(organizationId),
];
