import { suggest } from '#graphs/check/nearest.ts';
import { graphHash } from '#graphs/hash.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { NewWorkflow, WorkflowChange } from '#src/contracts/resources/workflow.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { checkDeclared, invalidGraph, presentCheck, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';
import { authorOf, tellChange } from '#tools/workflows/save-draft.ts';
import type { z } from 'zod';

type Input = z.output<typeof NewWorkflow>;

export const createWorkflow = defineTool({
  name: 'create_workflow',
  description:
    'Create a workflow with a draft: empty, from a graph or preset, or as a copy. Example: {"preset": "wf_document_intake"}',
  scope: 'workflows:write',
  effect: 'write',
  audit: false,
  idempotent: false,
  input: NewWorkflow,
  output: WorkflowChange,
  async run(ctx: ToolContext<CheckDeps | 'announce'>, input) {
    const first = await firstGraph(ctx, input);
    const named = {
      ...first,
      ...(input.name !== undefined && { name: input.name }),
      ...(input.description !== undefined && { description: input.description }),
    };
    const { check, graph } = await checkDeclared(ctx, named, {});
    // A draft may have semantic errors, but its shape must be valid: edit operations need it.
    if (graph === undefined) throw invalidGraph(check, 'The graph has an invalid shape', '/graph');
    const made = await insert(ctx, graph, input);
    ctx.outcome.created = true;
    return { ...made, dryRun: false, undo: [], ...presentCheck(check) };
  },
});

async function firstGraph(ctx: ToolContext<'workflows'>, { name, graph, from, preset }: Input): Promise<object> {
  if ([graph, from, preset].filter((one) => one !== undefined).length > 1)
    throw new AppError('request.invalid', 'graph, from and preset exclude each other. Give at most one of them.', {
      errors: [{ pointer: '/graph', code: 'one_of', message: 'give at most one of graph, from and preset' }],
    });
  if (graph !== undefined) return typeof graph === 'object' && graph !== null ? graph : { graph };
  if (from !== undefined)
    return (await chooseVersion(ctx, await requireWorkflow(ctx, from.workflowId), from.version)).graph;
  if (preset === undefined)
    return StoredGraph.parse({ schemaVersion: 1, name: name ?? 'New workflow', nodes: {}, edges: [] });
  const found = codeWorkflows.find(({ id }) => id === preset);
  if (found !== undefined) return found.graph;
  const message = `There is no preset "${preset}". ${suggest(
    preset,
    codeWorkflows.map(({ id }) => id),
    'presets',
  )}`;
  throw new AppError('request.invalid', message, { errors: [{ pointer: '/preset', code: 'not_found', message }] });
}

async function insert(
  ctx: ToolContext<'announce' | 'workflows'>,
  graph: StoredGraph,
  { note, projectId: named }: Input,
) {
  const { organizationId } = ctx.principal;
  const projectId = projectFor(ctx.principal, named);
  const author = authorOf(ctx, note);
  const { at } = author;
  const _id = newId('workflow', at);
  const hash = graphHash(graph);
  await ctx.deps.workflows.insert(
    {
      _id,
      schemaVersion: 1,
      organizationId,
      projectId,
      name: graph.name,
      description: graph.description,
      source: 'stored',
      codeName: null,
      publishedVersion: null,
      publishedHash: null,
      createdAt: at,
      updatedAt: at,
    },
    {
      draft: {
        _id,
        organizationId,
        projectId,
        revision: 1,
        graph,
        graphHash: hash,
        lastEdit: { ...author, revision: 1, operations: [] },
      },
    },
  );
  tellChange(ctx, { _id, organizationId, projectId }, { revision: 1, publishedVersion: null });
  return { workflowId: _id, revision: 1, graphHash: hash };
}
