import { z } from 'zod';
import { RunError } from '#src/contracts/resources/execution.ts';
import { runStatuses } from '#src/contracts/lists/run-status.ts';
import { Timestamp } from '#src/contracts/fields.ts';

/** State of the run over a document that was created last; runs of experiments do not count. Source: `lists.latest_run`. */
export const LatestRun = z
  .object({
    runId: z.string(),
    workflowId: z.string(),
    workflowName: z.string().optional().describe('In the dashboard: its present name; absent when it is deleted'),
    status: z.enum(runStatuses),
    at: Timestamp.describe('Time of the last change of status'),
    error: RunError.optional(),
  })
  .meta({ id: 'LatestRun' });
