import { graphHash } from '#graphs/hash.ts';
import { onlyNode } from '#graphs/edit/only-node.ts';
import { own } from '#src/contracts/own.ts';
import { TestNodeInput, TestedNode } from '#src/contracts/resources/test-node.ts';
import type { GraphNode, StoredGraph } from '#src/contracts/resources/graph.ts';
import { runCompleted } from '#src/domain/events/realtime.ts';
import { newId } from '#src/domain/ids.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import { unstorable } from '#src/domain/storable.ts';
import { invalidInput } from '#tools/call.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireEdit } from '#tools/runs/drafts/chosen-draft.ts';
import { presentRunDetail } from '#tools/runs/present.ts';
import { requireRun } from '#tools/runs/require-run.ts';
import { placed } from '#tools/runs/run-workflow.ts';
import { startedBy, startExecution } from '#tools/runs/start-execution.ts';
import { waitForRun } from '#tools/runs/wait-for-execution.ts';
import { checkWorkflow, invalidGraph, presentCheck, type CheckDeps } from '#tools/workflows/check-workflow.ts';
import { chooseVersion, requireWorkflow } from '#tools/workflows/require-workflow.ts';

/** Longest wait for the end of the run, in seconds. */
const waitSeconds = 25;
const reason = { code: 'run.canceled', message: 'A node that is tried by itself gets no answer to its question.' };

function nodeOf(graph: StoredGraph, nodeId: string, given: GraphNode | undefined): GraphNode {
  const node = given ?? own(graph.nodes, nodeId);
  if (node !== undefined) return node;
  const message = `there is no such node; this version has ${Object.keys(graph.nodes).slice(0, 20).join(', ')}`;
  throw invalidInput([{ pointer: '/nodeId', code: 'not_found', message }]);
}

/** Checks the graph of the one node. Errors: `request.invalid` for a state that leaves out what the node needs, `workflow.invalid`. */
async function checkTried(
  ctx: ToolContext<CheckDeps>,
  graph: StoredGraph,
  workflowId: string,
): Promise<ReturnType<typeof presentCheck>['issues']> {
  const check = await checkWorkflow(ctx, graph, workflowId);
  const unread = check.issues.filter(
    ({ code, severity }) => code === 'CHANNEL_READ_BEFORE_WRITE' && severity === 'error',
  );
  if (unread.length > 0)
    throw invalidInput(
      unread.map(({ message }) => ({
        pointer: '/state',
        code: 'channel_missing',
        message: `${message} Give its value here`,
      })),
    );
  if (!check.valid) throw invalidGraph(check, 'The node has errors and cannot run', '/graph');
  return presentCheck(check).issues;
}

/** Refuses values of channels that neither the workflow nor a map to the node has. */
function refuseUnknown(state: Readonly<Record<string, unknown>>, graph: StoredGraph): void {
  const found = unstorable(state, '/state');
  if (found !== null) throw invalidInput([{ ...found, code: 'unstorable' }]);
  const unknown = Object.keys(state).filter((name) => !Object.hasOwn(graph.state, name));
  if (unknown.length === 0) return;
  const message = `no such channel; this workflow has ${Object.keys(graph.state).slice(0, 40).join(', ')}`;
  throw invalidInput(unknown.map((name) => ({ pointer: `/state/${name}`, code: 'channel_unknown', message })));
}

/** Ends a run that asks: it shows its question, and nobody answers. */
async function endAsking(
  { deps, principal }: ToolContext<'announce' | 'executions' | 'forgetRuns' | 'thumbnails'>,
  { _id }: RunRecord,
): Promise<void> {
  const now = new Date();
  const ended = await deps.executions.cancelRun(principal, _id, reason, now);
  if (ended === null) return;
  deps.forgetRuns([_id]);
  deps.announce([runCompleted(ended, 'canceled', now)]);
}

type Context = ToolContext<
  | CheckDeps
  | 'announce'
  | 'catalog'
  | 'documents'
  | 'events'
  | 'executions'
  | 'forgetRuns'
  | 'steps'
  | 'stopping'
  | 'wake'
  | 'thumbnails'
>;

export const testNode = defineTool({
  name: 'test_node',
  description:
    'Try one node of a draft on a document. Pure nodes before it write the channels that state leaves out. Changes nothing.',
  scope: 'runs:execute',
  effect: 'write',
  audit: false,
  idempotent: false,
  expensive: true,
  input: TestNodeInput,
  output: TestedNode,
  async run(ctx: Context, { workflowId, nodeId, documentId, state, node: given }) {
    const { deps, principal } = ctx;
    const workflow = await requireWorkflow(ctx, workflowId);
    requireEdit(ctx, workflow);
    const { graph: whole, revision } = await chooseVersion(ctx, workflow, undefined);
    const node = nodeOf(whole, nodeId, given);
    const graph = await onlyNode(whole, { nodeId, node, state }, deps.catalog);
    refuseUnknown(state, graph);
    const issues = await checkTried(ctx, graph, workflowId);
    const place = await placed(ctx, [documentId], undefined);
    const execution = await startExecution(ctx, {
      _id: newId('execution'),
      schemaVersion: 1,
      organizationId: principal.organizationId,
      ...place,
      workflowId,
      workflowName: whole.name,
      workflowProjectId: workflow.projectId,
      version: null,
      graphHash: graphHash(graph),
      draft: { revision, nodeId, graph: JSON.stringify(graph) },
      ...startedBy(ctx),
      initialState: state,
      createdAt: new Date(),
    });
    const known = await requireRun(ctx, execution.runs[0]?.runId ?? '');
    const run = await waitForRun(ctx, known, waitSeconds);
    if (run.status === 'waiting') await endAsking(ctx, run);
    const detail = presentRunDetail(run, await deps.steps.listOf(run), new Set(['outputs']));
    return { ...detail, issues };
  },
});
