import { applyOperations } from '#graphs/edit/apply.ts';
import { graphHash } from '#graphs/hash.ts';
import { WorkflowCheck, WorkflowCheckBody } from '#src/contracts/resources/workflow.ts';
import { AppError } from '#src/domain/app-error.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { checkWorkflow, invalidGraph, presentCheck } from '#tools/workflows/check-workflow.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';

export const validateWorkflow = defineTool({
  name: 'validate_workflow',
  description:
    'Everything that is wrong with a graph, or with a workflow as it would be after operations. Saves nothing.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: WorkflowCheckBody,
  output: WorkflowCheck,
  async run(ctx: ToolContext<'catalog' | 'secrets' | 'workflows'>, { workflowId, version, graph, operations }) {
    if ((workflowId === undefined) === (graph === undefined))
      throw new AppError('request.invalid', 'Give exactly one of workflowId and graph.', {
        errors: [{ pointer: '/workflowId', code: 'one_of', message: 'give exactly one of workflowId and graph' }],
      });
    const raw =
      workflowId === undefined
        ? graph
        : (await chooseVersion(ctx, await requireWorkflow(ctx, workflowId), version)).graph;
    const before = await checkWorkflow(ctx, raw, workflowId);
    if (operations === undefined) return told(before);
    if (before.graph === undefined) throw invalidGraph(before, 'Operations need a graph of the right shape', '/graph');
    return told(await checkWorkflow(ctx, applyOperations(before.graph, operations).graph, workflowId));
  },
});

function told(check: Awaited<ReturnType<typeof checkWorkflow>>) {
  return { graphHash: check.graph === undefined ? null : graphHash(check.graph), ...presentCheck(check) };
}
