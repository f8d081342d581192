import { tools } from '#tools/index.ts';
import { attach } from '#mcp/prompts/attach.ts';
import { goalArgument, quoted, says, steps, type McpPrompt } from '#mcp/prompts/prompt.ts';

export const buildWorkflow: McpPrompt = {
  name: 'build_workflow',
  title: 'Build a workflow',
  description: 'Create a workflow for a goal, check it, publish it and try it on a document.',
  toolset: 'workflows',
  scopes: ['workflows:read'],
  changes: true,
  arguments: [{ ...goalArgument, description: 'The result that it should produce from a document' }],
  async messages(ask, { goal = '' }) {
    const [types, { workflows }] = await Promise.all([
      ask(tools.describeNodeTypes, { detail: 'summary' }),
      ask(tools.listWorkflows, { limit: 10 }),
    ]);
    const [near] = workflows;
    const how = steps([
      near === undefined
        ? 'The node types are attached as a summary.'
        : `The node types are attached as a summary. Existing workflows: ${workflows.map(({ workflowId }) => workflowId).join(', ')}; call get_workflow with workflowId "${near.workflowId}" to see a whole graph.`,
      'Choose the node types, and call describe_node_types with types for their configs and the syntax of expressions.',
      'Write the graph: schemaVersion 1, name, state, nodes, edges from START to END. Call validate_workflow with graph, and fix issues until valid is true.',
      'Call create_workflow with graph, or with from or preset if a copy with a few operations is closer to the goal.',
      'For further changes call update_workflow with baseVersion, operations and dryRun true, then with dryRun false.',
      'Show the user what it does, and ask whether to publish. Then call publish_workflow with baseVersion.',
      'Call list_documents for a suitable document, run_workflow with workflowId, documentIds and waitSeconds 25, then get_run with runId. If the result does not meet the goal, continue from step 5.',
    ]);
    return [
      says(`Build an Inkgraph workflow. The goal:\n${quoted(goal)}\n\nDo this in order:\n${how}`),
      attach({ kind: 'node-types' }, types),
    ];
  },
};
