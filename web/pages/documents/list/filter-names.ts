/** Filters of the list, by their parameter in the address. */
export const filterNames = [
  'status',
  'type',
  'from',
  'to',
  'tag',
  'workflow',
  'confidence',
  'text',
  'visibility',
  'key',
  'project',
  'records',
] as const;
export type FilterName = (typeof filterNames)[number];

/** Orders of the list, as the address keeps them: `sort`, or `sort-order` where it is not the usual one. */
export const orders = [
  'created',
  'created-asc',
  'name',
  'name-desc',
  'size',
  'size-asc',
  'confidence-asc',
  'confidence',
] as const;
export type Order = (typeof orders)[number];
