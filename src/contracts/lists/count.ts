import { z } from 'zod';

/** Largest number that a count of a list states exactly. Source: `lists.total`. */
export const countMax = 1_000;

/** A count with a bound: `value` items with relation `eq`; at least that many with `gte`. */
export const BoundedCount = z
  .object({
    value: z.int().min(0),
    relation: z.enum(['eq', 'gte']).describe('eq: exactly value; gte: value or more'),
  })
  .meta({ id: 'BoundedCount' });
export type BoundedCount = z.output<typeof BoundedCount>;

/** Bounds a count that was taken up to `most` + 1. */
export const bounded = (found: number, most: number = countMax): BoundedCount =>
  found > most ? { value: most, relation: 'gte' } : { value: found, relation: 'eq' };
