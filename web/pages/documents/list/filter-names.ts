/** Filters of the list, by their parameter in the address. */
export const filterNames = ['project'] as const;
export type FilterName = (typeof filterNames)[number];
