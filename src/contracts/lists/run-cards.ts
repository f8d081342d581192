import { z } from 'zod';
import { RunList } from '#src/contracts/resources/execution.ts';

/** A run of a page of the dashboard. Source: `lists.runs.names`. */
const RunCard = RunList.shape.runs.element
  .extend({
    documentTitle: z.string().nullable().describe('null: none, or the document is deleted'),
    workflowName: z.string().nullable().describe('Its present name; null: deleted, or of another project'),
  })
  .meta({ id: 'RunCard' });
export const RunCardList = RunList.extend({ runs: z.array(RunCard) });
