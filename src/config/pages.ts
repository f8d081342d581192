import { z } from 'zod';

/** Settings of the work on pages. */
export const pageRows = {
  ORGANIZATION_PAGE_MS_PER_MINUTE: {
    schema: z
      .string()
      .regex(/^\d{1,8}$/, 'expected a whole number')
      .transform(Number)
      .pipe(z.int().min(0).max(86_400_000))
      .default(60_000),
    doc: 'Milliseconds of computing time for pages (PDF, HEIC, text recognition) of an organization in a minute, in each process; over it, its pages wait for those of others; 0: no limit',
  },
} as const;
