import { z } from 'zod';
import { Timestamp } from '#src/contracts/fields.ts';

const WorkflowSummary = z
  .object({
    workflowId: z.string().describe('Also called agentGraphId'),
    name: z.string(),
    description: z.string(),
    publishedVersion: z.int(),
    updatedAt: Timestamp,
  })
  .meta({ id: 'Workflow' });
export const WorkflowList = z.object({ workflows: z.array(WorkflowSummary) });
