import { isDeepStrictEqual } from 'node:util';
import { PublishedWorkflow, WorkflowPublishInput } from '#src/contracts/resources/workflow.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import { nextVersion, storedTool, type WorkflowRecord } from '#src/domain/runs/workflow.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { checkWorkflow, invalidGraph, presentCheck, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { keepGate } from '#tools/experiments/keep-gate.ts';
import { passGate } from '#tools/experiments/pass-gate.ts';
import { requireDraft } from '#tools/workflows/require-workflow.ts';
import { authorOf, requireBase, tellChange } from '#tools/workflows/save-draft.ts';

export const publishWorkflow = defineTool({
  name: 'publish_workflow',
  description:
    'Publishes the draft as the next version, which new runs use. Fails while it has errors, or without the proof that its gate asks for.',
  scope: 'workflows:publish',
  effect: 'write',
  idempotent: true,
  input: WorkflowPublishInput,
  output: PublishedWorkflow,
  async run(ctx: ToolContext<CheckDeps | 'announce' | 'audit' | 'datasets' | 'experiments'>, given) {
    const { gate: proofOfLater, ...rest } = given;
    const asked = {
      ...rest,
      ...(proofOfLater !== undefined && { gate: proofOfLater === 'none' ? null : proofOfLater }),
    };
    const { workflowId, baseVersion, note } = asked;
    const { deps } = ctx;
    const { workflow, draft } = await requireDraft(ctx, workflowId);
    await requireBase(ctx, draft, baseVersion);
    const check = await checkWorkflow(ctx, draft.graph, workflowId);
    if (!check.valid) throw invalidGraph(check, 'The draft has errors', '');
    const { organizationId, publishedVersion, publishedHash } = workflow;
    const { graph, graphHash, revision: fromRevision } = draft;
    const said = { workflowId, graphHash, fromRevision, issues: presentCheck(check).issues };
    if (publishedVersion !== null && publishedHash === graphHash) {
      ctx.outcome.created = false;
      const gate = await keepGate(ctx, workflow, asked);
      tellChange(ctx, workflow, { revision: fromRevision, publishedVersion, again: true });
      return { ...said, version: publishedVersion, gate };
    }
    const evidence = await passGate(ctx, workflow, draft, asked);
    const [newest] = await deps.workflows.listVersions(organizationId, workflowId, null, 1);
    const version = nextVersion(workflow, newest, graphHash);
    const proof = evidence === undefined ? {} : { evidence };
    const its = { organizationId, workflowId, version, graphHash, graph, fromRevision, ...proof };
    if (!(await deps.workflows.publish(workflow, { ...its, ...authorOf(ctx, note), _id: `${workflowId}@${version}` })))
      throw new AppError(
        'workflow.conflict',
        'Another version was published meanwhile. Read the versions, then publish again.',
        {
          data: { currentRevision: fromRevision, operationsSince: [] },
        },
      );
    await record(ctx, 'workflow.publish', workflowId, { version, graphHash, surface: ctx.surface, ...proof });
    const gate = await keepGate(ctx, workflow, asked);
    const toolsChanged = changesTools(workflow, graph) ? { toolsChanged: true as const } : {};
    tellChange(ctx, workflow, { revision: fromRevision, publishedVersion: version, ...toolsChanged });
    ctx.outcome.created = true;
    return { ...said, version, gate };
  },
});

/** True when MCP sessions see another list of tools after this version. */
function changesTools({ tool: before }: WorkflowRecord, { tool: after }: StoredGraph): boolean {
  return !isDeepStrictEqual(before ?? null, after === undefined ? null : storedTool(after));
}
