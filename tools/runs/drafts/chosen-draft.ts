import type { GraphCheck } from '#graphs/check.ts';
import { callerWith } from '#src/domain/access/rights.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import type { WorkflowRecord } from '#src/domain/runs/workflow.ts';
import type { ToolContext } from '#tools/define.ts';
import { checkWorkflow, invalidGraph, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { requireDraft } from '#tools/workflows/require-workflow.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** The parts of an execution that runs a draft or one of its nodes. */
type ChosenDraft = Required<
  Pick<ExecutionRecord, 'workflowName' | 'version' | 'graphHash' | 'workflowProjectId' | 'draft'>
>;

/** Errors: `auth.forbidden` unless the caller may edit workflows of this project. */
export function requireEdit({ principal }: Pick<ToolContext<never>, 'principal'>, { projectId }: WorkflowRecord): void {
  if (callerWith('workflows:write', principal).projectIds.includes(projectId)) return;
  throw new AppError(
    'auth.forbidden',
    'Your role in the project of this workflow lacks the scope workflows:write, which runs of its draft need.',
  );
}

/** Error: `workflow.invalid` for a graph with errors, which cannot run. */
async function requireValid(ctx: ToolContext<CheckDeps>, graph: StoredGraph, workflowId: string): Promise<GraphCheck> {
  const check = await checkWorkflow(ctx, graph, workflowId);
  if (!check.valid) throw invalidGraph(check, 'The draft has errors and cannot run', '/graph');
  return check;
}

/**
 * Chooses the draft as it is now. `revision`: the caller wants this one. Errors: `auth.forbidden`, `workflow.not_found`, `workflow.read_only`,
 * `workflow.conflict` for another revision, `workflow.invalid`. Source: docs/decisions/0165.
 */
export async function chosenDraft(
  ctx: ToolContext<CheckDeps>,
  workflowId: string,
  wanted: number | undefined,
): Promise<ChosenDraft> {
  const { workflow, draft } = await requireDraft(ctx, workflowId);
  requireEdit(ctx, workflow);
  const { graph, graphHash, revision } = draft;
  if (wanted !== undefined && wanted !== revision)
    throw new AppError(
      'workflow.conflict',
      `The draft is at revision ${revision}, not ${wanted}. Run revision ${revision}, or leave revision out.`,
      {
        errors: [{ pointer: '/revision', code: 'conflict', message: `the draft is at revision ${revision}` }],
        data: { currentRevision: revision },
      },
    );
  await requireValid(ctx, graph, workflowId);
  return {
    workflowName: graph.name,
    version: null,
    graphHash,
    workflowProjectId: workflow.projectId,
    draft: { revision, graph: JSON.stringify(graph) },
  };
}
