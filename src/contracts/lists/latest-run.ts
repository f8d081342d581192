import { z } from 'zod';
import { RunError, runStatuses } from '#src/contracts/resources/execution.ts';
import { Timestamp } from '#src/contracts/fields.ts';

/** State of the run over a document that was created last; runs of experiments do not count. Source: `lists.latest_run`. */
export const LatestRun = z
  .object({
    runId: z.string(),
    executionId: z.string(),
    workflowId: z.string(),
    workflowName: z.string().optional().describe('Name when the run started; absent before that'),
    status: z.enum(runStatuses),
    at: Timestamp.describe('Time of the last change of status'),
    error: RunError.nullable(),
  })
  .meta({ id: 'LatestRun' });
