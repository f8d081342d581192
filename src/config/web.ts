import { z } from 'zod';

/** Environment variables of the dashboard's pages. Source: docs/decisions/0182. */
export const webRows = {
  WEB: { schema: z.enum(['on', 'off']).default('on'), doc: 'off: the API serves no dashboard' },
  WEB_DIR: {
    schema: z.string().min(1).optional(),
    doc: 'Folder of a dashboard that was built elsewhere, with npm run web:build -- FOLDER; default: built at the first start',
  },
  WEB_BUILD: {
    schema: z.literal('allow').optional(),
    doc: 'allow: build a missing dashboard at a start under NODE_ENV=production',
  },
} as const;
