import { targetsOf } from '#graphs/edit/edges.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { WorkflowDetail, WorkflowInput } from '#src/contracts/resources/workflow.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { checkStored, presentCheck, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { presentWorkflow } from '#tools/workflows/list-workflows.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';

export const getWorkflow = defineTool({
  name: 'get_workflow',
  description: 'A workflow’s graph at one version, with its errors and warnings.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  input: WorkflowInput,
  output: WorkflowDetail,
  async run(ctx: ToolContext<CheckDeps | 'checks' | 'thumbnails'>, { workflowId, version, detail, nodeIds }) {
    const workflow = await requireWorkflow(ctx, workflowId);
    const chosen = await chooseVersion(ctx, workflow, version);
    const name = `${workflowId}@${chosen.version ?? `draft ${chosen.revision}`}`;
    const check = presentCheck(await checkStored(ctx, chosen.graph, { workflowId, name }));
    const wanted = nodeIds === undefined ? null : new Set<string>(nodeIds);
    return {
      ...presentWorkflow(workflow),
      ...ctx.deps.thumbnails.linked(`/workflows/${workflowId}`),
      version: chosen.version,
      revision: chosen.revision,
      graphHash: chosen.graphHash,
      gate: workflow.gate ?? null,
      graph: partOf(chosen.graph, detail, wanted),
      ...check,
      issues: check.issues.filter(({ nodeId }) => wanted === null || nodeId === undefined || wanted.has(nodeId)),
    };
  },
});

function partOf(graph: StoredGraph, detail: 'summary' | 'full', wanted: ReadonlySet<string> | null) {
  const { nodes, edges, layout, state, ...rest } = graph;
  const shown = Object.entries(nodes).filter(([id]) => wanted === null || wanted.has(id));
  const brief = detail === 'summary';
  return {
    ...rest,
    state: brief ? Object.fromEntries(Object.entries(state).map(([name, { reducer }]) => [name, { reducer }])) : state,
    nodes: brief
      ? Object.fromEntries(shown.map(([id, { type, onError }]) => [id, { type, onError }]))
      : Object.fromEntries(shown),
    edges: edges.filter((edge) => wanted === null || [edge.from, ...targetsOf(edge)].some((name) => wanted.has(name))),
    ...(!brief && layout !== undefined && { layout }),
  };
}
