import { z } from 'zod';

export const OrganizationChange = z.strictObject({
  requiresSecondFactor: z
    .boolean()
    .describe('true: members without a second factor, and programs that act for them, are refused until they have one'),
});

export const Organization = z
  .object({ organizationId: z.string(), name: z.string(), requiresSecondFactor: z.boolean() })
  .meta({ id: 'Organization' });
