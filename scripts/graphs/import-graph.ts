import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { diffGraphs } from '#graphs/edit/diff.ts';
import { callTool } from '#tools/call.ts';
import { createWorkflow } from '#tools/workflows/create-workflow.ts';
import { requireDraft } from '#tools/workflows/require-workflow.ts';
import { updateWorkflow } from '#tools/workflows/update-workflow.ts';
import { say, sayIssues, type Request } from '#scripts/graphs/commands.ts';
import { loadGraph } from '#scripts/graphs/load.ts';
import type { z } from 'zod';
import type { WorkflowChange } from '#src/contracts/resources/workflow.ts';
import type { Store } from '#scripts/graphs/store.ts';
import type { ToolContext } from '#tools/define.ts';

type Change = z.output<typeof WorkflowChange>;

/** Operations of one edit; a larger difference is saved in steps, and the draft stays as far as they came. */
const most = 100;

/** A draft of a new workflow, or the next one of `workflow`. Errors: those of the use cases behind. */
export async function importGraph(
  request: Request,
  { context }: Store,
  { workflow, note }: { readonly workflow: string | undefined; readonly note: string | undefined },
): Promise<void> {
  const {
    refs: [file = ''],
    code,
    json,
  } = request;
  const { graph } = await loadGraph(file, { code, store: null });
  const said = note === undefined ? {} : { note };
  const change =
    workflow === undefined
      ? await callTool(createWorkflow, context, { graph, ...said })
      : await replaceDraft(context, { workflowId: workflow, graph, said });
  if (!change) return say(request, json ? 'null' : 'No difference: nothing is saved.');
  const { workflowId, revision, valid, issues } = change;
  if (json) return say(request, JSON.stringify({ workflowId, revision, valid, issues }));
  say(
    request,
    `${workflowId}  draft revision ${revision}${valid ? '' : ', which has errors and cannot be published yet'}`,
  );
  sayIssues(request, issues);
}

async function replaceDraft(
  context: ToolContext,
  { workflowId, graph, said }: { workflowId: string; graph: StoredGraph; said: { note?: string } },
): Promise<Change | null> {
  const { draft } = await requireDraft(context, workflowId);
  const operations = diffGraphs(draft.graph, graph);
  const changes: Change[] = [];
  for (let at = 0; at < operations.length; at += most) {
    const baseVersion = changes.at(-1)?.revision ?? draft.revision;
    const part = operations.slice(at, at + most);
    changes.push(await callTool(updateWorkflow, context, { workflowId, baseVersion, operations: part, ...said }));
  }
  return changes.at(-1) ?? null;
}
