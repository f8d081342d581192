import { completeWorkflow } from '#mcp/completion/completers.ts';
import { attachWorkflow } from '#mcp/prompts/attach.ts';
import { goalArgument, quoted, says, steps, workflowArgument, type McpPrompt } from '#mcp/prompts/prompt.ts';

function plan(workflowId: string, revision: number, isBrief: boolean): string {
  return steps([
    isBrief
      ? `Its draft, revision ${revision}, is attached as a summary. Call get_workflow with nodeIds for the configs of the relevant nodes.`
      : `Its draft, revision ${revision}, is attached with its issues. Read it.`,
    `Find out how it performs now: call list_runs with workflowId "${workflowId}", then get_run with runId and detail "errors" for those that did not succeed.`,
    'Call describe_node_types with types for every node type that you add or configure.',
    `Try: call update_workflow with workflowId "${workflowId}", baseVersion ${revision}, your operations and dryRun true. Fix the issues, with the operations in their fix where they have one, until valid is true.`,
    'Save: repeat the call with dryRun false. Its result has the revision for the next call, and undo, which reverts the edit.',
    `Measure: call run_experiment with a datasetId, split "dev" and the variants {"workflowId": "${workflowId}"} and {"workflowId": "${workflowId}", "version": "draft"}; begin with dryRun true. Without a dataset, ask the user for documents with their right results and call save_dataset.`,
    'Read the verdict with get_experiment and wait 25, then view "regressions": the documents that lost. Change the draft and measure on dev as often as you like.',
    'Confirm the best draft once with split "holdout". Each confirmation spends the ledger of the dataset: do not repeat one to get another verdict.',
    `Show the user the sentence of the verdict and the result of diff_workflow_versions with workflowId "${workflowId}" and from "published", and ask whether to publish.`,
    'If so, call publish_workflow with the new revision as baseVersion. Report what you tried, how often, and what was shown.',
  ]);
}

function readOnlyPlan(workflowId: string): string {
  return steps([
    'This workflow is defined in code and cannot be edited. Its published version is attached.',
    `Call create_workflow with from {"workflowId": "${workflowId}"}: the result has the copy and its revision.`,
    'Continue with the copy: describe_node_types, update_workflow with dryRun true, then false, run_experiment against this workflow, publish_workflow.',
  ]);
}

export const improveWorkflow: McpPrompt = {
  name: 'improve_workflow',
  title: 'Improve a workflow',
  description: 'Edit a workflow towards a goal: read, try, save, measure, confirm, publish.',
  toolset: 'workflows',
  scopes: ['workflows:read'],
  changes: true,
  arguments: [{ ...workflowArgument, complete: completeWorkflow }, goalArgument],
  async messages(ask, { workflowId = '', goal = '' }) {
    const { message, revision, isBrief } = await attachWorkflow(ask, workflowId);
    const how = revision === null ? readOnlyPlan(workflowId) : plan(workflowId, revision, isBrief);
    return [
      says(`Improve the Inkgraph workflow ${workflowId}. The goal:\n${quoted(goal)}\n\nDo this in order:\n${how}`),
      message,
    ];
  },
};
