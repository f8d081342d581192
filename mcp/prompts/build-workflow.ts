import { tools } from '#tools/index.ts';
import { attach } from '#mcp/prompts/attach.ts';
import { goalArgument, quoted, says, steps, type McpPrompt } from '#mcp/prompts/prompt.ts';

export const buildWorkflow: McpPrompt = {
  name: 'build_workflow',
  title: 'Build a workflow',
  description: 'Make a new workflow for a goal, check it, publish it and prove it on a document.',
  toolset: 'workflows',
  scopes: ['workflows:read'],
  changes: true,
  arguments: [{ ...goalArgument, description: 'What it should make of a document' }],
  async messages(ask, { goal = '' }) {
    const [types, { workflows }] = await Promise.all([
      ask(tools.describeNodeTypes, { detail: 'summary' }),
      ask(tools.listWorkflows, { limit: 10 }),
    ]);
    const [near] = workflows;
    const how = steps([
      near === undefined
        ? 'The node types are attached in brief.'
        : `The node types are attached in brief. Workflows that exist: ${workflows.map(({ workflowId }) => workflowId).join(', ')}; call get_workflow with workflowId "${near.workflowId}" to see how a whole graph looks.`,
      'Choose the node types, and call describe_node_types with types and detail "full" for their configs and how expressions are written.',
      'Write the graph: schemaVersion 1, name, state, nodes, edges from START to END. Call validate_workflow with graph, and mend until valid is true.',
      'Call create_workflow with graph, or with from or preset where a copy with a few operations is nearer to the goal.',
      'Call update_workflow with baseVersion, operations and dryRun true for what is still to change, then with dryRun false.',
      'Show the person what it does, and ask whether to publish; then call publish_workflow with baseVersion.',
      'Call list_documents for one that fits, run_workflow with workflowId, documentIds and waitSeconds 25, then get_run with runId: does it make what the goal asks for? If not, go on from step 5.',
    ]);
    return [
      says(`Build an Inkgraph workflow. The goal:\n${quoted(goal)}\n\nDo this in order:\n${how}`),
      attach({ kind: 'node-types' }, types),
    ];
  },
};
