/** Filters of the list, by their parameter in the address. */
export const filterNames = [
  'project',
  'status',
  'type',
  'visibility',
  'hasText',
  'confidence',
  'from',
  'to',
  'tag',
] as const;
export type FilterName = (typeof filterNames)[number];
