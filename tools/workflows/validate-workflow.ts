import { applyOperations } from '#graphs/edit/apply.ts';
import { graphHash } from '#graphs/hash.ts';
import { WorkflowCheck, WorkflowCheckBody } from '#src/contracts/resources/workflow.ts';
import { AppError } from '#src/domain/app-error.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import {
  checkDeclared,
  checkWorkflow,
  invalidGraph,
  presentCheck,
  type CheckDeps,
} from '#tools/workflows/check-workflow.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';

export const validateWorkflow = defineTool({
  name: 'validate_workflow',
  description: 'Errors and warnings of a graph, or of a workflow after operations. Saves nothing.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: WorkflowCheckBody,
  output: WorkflowCheck,
  async run(ctx: ToolContext<CheckDeps>, { workflowId, version, graph, operations }) {
    if ((workflowId === undefined) === (graph === undefined))
      throw new AppError('request.invalid', 'workflowId and graph exclude each other. Give exactly one of them.', {
        errors: [{ pointer: '/workflowId', code: 'one_of', message: 'give exactly one of workflowId and graph' }],
      });
    const raw =
      workflowId === undefined
        ? graph
        : (await chooseVersion(ctx, await requireWorkflow(ctx, workflowId), version)).graph;
    // A version is checked as it is stored; a graph as create_workflow would store it.
    if (operations === undefined)
      return presentResult(
        workflowId === undefined
          ? await checkDeclared(ctx, raw, {})
          : { check: await checkWorkflow(ctx, raw, workflowId) },
      );
    const before = await checkWorkflow(ctx, raw, workflowId);
    if (before.graph === undefined) throw invalidGraph(before, 'Operations need a graph of the right shape', '/graph');
    const edited = applyOperations(before.graph, operations).graph;
    return presentResult(await checkDeclared(ctx, edited, { workflowId, operations }));
  },
});

function presentResult({ check }: { readonly check: Awaited<ReturnType<typeof checkWorkflow>> }) {
  return { graphHash: check.graph === undefined ? null : graphHash(check.graph), ...presentCheck(check) };
}
