import { z } from 'zod';
import { WorkflowList } from '#src/contracts/resources/workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listPublishedWorkflows = defineTool({
  name: 'list_published_workflows',
  description: 'Published workflows of the project: those that can run.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: WorkflowList,
  async run({ deps, principal }: ToolContext<'workflows'>) {
    const found = await deps.workflows.listPublished(principal);
    return {
      workflows: found.flatMap((workflow) =>
        workflow.publishedVersion === null
          ? []
          : [
              {
                workflowId: workflow._id,
                slug: workflow.codeName,
                name: workflow.name,
                description: workflow.description,
                publishedVersion: workflow.publishedVersion,
                toolName: workflow.tool?.name ?? null,
                updatedAt: workflow.updatedAt.toISOString(),
              },
            ],
      ),
    };
  },
});
