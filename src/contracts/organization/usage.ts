import { z } from 'zod';

const Amount = z.object({
  used: z.int().describe('Documents, pictures made from them, and uploads that are not acknowledged yet'),
  limit: z.int().nullable().describe('null: no limit'),
});
const Figures = z.object({ bytes: Amount, objects: Amount });

/** Source: docs/decisions/0079. */
export const Usage = z
  .object({
    organization: Figures,
    projects: z.array(Figures.extend({ id: z.string(), name: z.string() })),
    key: Figures.nullable().describe('Of the API key that asks; null for other credentials'),
  })
  .meta({ id: 'Usage' });
