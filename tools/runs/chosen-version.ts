import { AppError } from '#src/domain/app-error.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import { workflowMissing } from '#tools/workflows/require-workflow.ts';

type ChosenVersion = Required<Pick<ExecutionRecord, 'workflowName' | 'version' | 'graphHash' | 'workflowProjectId'>>;

/**
 * Chooses the version to run: the requested one, else the published one. Errors: `workflow.not_found`; `workflow.version_not_found`, also for a
 * workflow that was never published, for callers that may edit it and agents that may read it.
 */
export async function chosenVersion(
  { deps, principal, surface }: ToolContext<'workflows'>,
  workflowId: string,
  version: number | null,
): Promise<ChosenVersion> {
  const workflow = await deps.workflows.find(principal, workflowId);
  // Agents and editors publish drafts themselves. Other callers cannot, and a draft is as good as none to them.
  const { scopes } = principal;
  const knowsDrafts = scopes.has('workflows:write') || (surface === 'mcp' && scopes.has('workflows:read'));
  if (workflow === null || (workflow.publishedVersion === null && !knowsDrafts)) throw workflowMissing();
  if (workflow.publishedVersion === null)
    throw new AppError(
      'workflow.version_not_found',
      'This workflow has only a draft. Publish it with publish_workflow, or run the draft as it is with version "draft".',
    );
  const { name: workflowName, publishedVersion, publishedHash, projectId: workflowProjectId } = workflow;
  if (version === null || version === publishedVersion)
    return { workflowName, version: publishedVersion, graphHash: publishedHash, workflowProjectId };
  const found = await deps.workflows.findVersion(principal.organizationId, workflowId, version);
  if (found === null)
    throw new AppError(
      'workflow.version_not_found',
      `This workflow has no version ${version}; the published one is ${publishedVersion}. To run the draft, set version to "draft" or publish it with publish_workflow.`,
    );
  return { workflowName: found.graph.name, version, graphHash: found.graphHash, workflowProjectId };
}
