import { z } from 'zod';

/** Environment variables of the dashboard's pages, and of the operator's code. Source: docs/decisions/0182, docs/decisions/0198. */
export const codeAndPageRows = {
  WEB: { schema: z.enum(['on', 'off']).default('on'), doc: 'off: the API serves no dashboard' },
  WEB_DIR: {
    schema: z.string().min(1).optional(),
    doc: 'Folder of a dashboard that was built elsewhere, with npm run web:build -- FOLDER; default: built at the first start',
  },
  WORKFLOWS_DIR: {
    schema: z.string().min(1).optional(),
    doc: 'Folder of your own *.workflow.ts, *.node.ts and *.evaluator.ts; they run with all rights of the process',
  },
  CODE_STACKS: {
    schema: z.enum(['on', 'off']).default('off'),
    doc: 'on: steps show where an error of your own nodes was thrown, with paths of this machine; never under NODE_ENV=production; npm run dev sets it',
  },
  WEB_BUILD: {
    schema: z.literal('allow').optional(),
    doc: 'allow: build a missing dashboard at a start under NODE_ENV=production',
  },
} as const;
