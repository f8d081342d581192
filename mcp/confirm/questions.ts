import type { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import { titleOf } from '#src/domain/documents/document.ts';
import { nextVersion } from '#src/domain/runs/workflow.ts';
import { terminalStatuses } from '#src/domain/runs/run.ts';
import type { AnyTool, Tool, ToolContext } from '#tools/define.ts';
import { requireDocument } from '#tools/documents/require-document.ts';
import { tools } from '#tools/index.ts';
import { requireKey } from '#tools/keys/caller-bounds.ts';
import { requireRun } from '#tools/runs/require-run.ts';
import { readExecution } from '#tools/runs/wait-for-execution.ts';
import { checkWorkflow } from '#tools/workflows/check-workflow.ts';
import { requireDraft, requireWorkflow } from '#tools/workflows/require-workflow.ts';
import { plainName, plainText } from '#mcp/present/neutralize.ts';

/** Ids that a question lists. */
const maxIds = 5;
/** Characters of input shown for a tool without a question of its own. */
const inputMax = 500;

/**
 * Describes the effect of a call to the user; null: nothing to confirm, or the call will be refused. Reads only what the call itself reads,
 * and contains nothing that changes by itself: the text must be the same when the answer comes.
 */
type Describe = (ctx: ToolContext, input: unknown) => Promise<string | null>;

/** Binds a question to the input type of its tool. */
function before<Input extends z.ZodType, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
  describe: (ctx: ToolContext, input: z.output<Input>) => Promise<string | null>,
): [string, Describe] {
  return [tool.name, describe as Describe];
}

function listed(ids: readonly string[]): string {
  const rest = ids.length > maxIds ? ` and ${ids.length - maxIds} more` : '';
  return (
    ids
      .slice(0, maxIds)
      .map((id) => plainName(id))
      .join(', ') + rest
  );
}

const questions = new Map<string, Describe>([
  before(tools.publishWorkflow, async (ctx, { workflowId, baseVersion }) => {
    const { workflow, draft } = await requireDraft(ctx, workflowId);
    const { publishedVersion, publishedHash } = workflow;
    if (draft.revision !== baseVersion || publishedHash === draft.graphHash) return null;
    if (!(await checkWorkflow(ctx, draft.graph, workflowId)).valid) return null;
    const [newest] = await ctx.deps.workflows.listVersions(workflow.organizationId, workflowId, null, 1);
    const version = nextVersion(workflow, newest, draft.graphHash);
    const instead = publishedVersion === null ? '' : ` instead of version ${publishedVersion}`;
    return `Publish the draft of the workflow ${plainName(draft.graph.name)} as version ${version}? New runs will use it${instead}.`;
  }),
  before(tools.deleteWorkflow, async (ctx, { workflowId }) => {
    const { name } = await requireWorkflow(ctx, workflowId);
    return `Delete the workflow ${plainName(name)} with its draft and all versions? This cannot be undone.`;
  }),
  before(tools.deleteDocument, async ({ deps, principal }, { documentId: id }) => {
    const document = await requireDocument(deps, principal, id);
    // A public document of another project can be read, but not deleted.
    if (!principal.projectIds.includes(document.projectId)) return null;
    const named = titleOf(document);
    const title = named === null ? '' : `, ${plainName(named)},`;
    return `Delete the document ${plainName(id)}${title} with everything derived from it? This cannot be undone.`;
  }),
  before(tools.setDocumentVisibility, async ({ deps, principal }, { documentIds, visibility }) => {
    if (visibility !== 'public') return null;
    if ((await deps.documents.countOwned(principal, documentIds)) !== documentIds.length) return null;
    const what = documentIds.length === 1 ? '1 document' : `${documentIds.length} documents`;
    return `Make ${what} readable for every project of the organization: ${listed(documentIds)}?`;
  }),
  before(tools.cancelRun, async (ctx, { executionId, runId }) => {
    const run = runId === undefined ? null : await requireRun(ctx, runId);
    const execution = await readExecution(ctx, run?.executionId ?? executionId ?? '');
    if (terminalStatuses.has(run?.status ?? execution.status)) return null;
    const workflow = `the workflow ${plainName(execution.workflowName ?? execution.workflowId)}`;
    if (run !== null)
      return `Cancel the run of ${workflow} on the document ${plainName(run.documentId)}? It cannot be resumed.`;
    return `Cancel all unfinished runs of ${workflow} that were started together on ${execution.counts.total} documents? They cannot be resumed.`;
  }),
  before(tools.revokeApiKey, async (ctx, { keyId }) => {
    const { name, prefix, revokedAt } = await requireKey(ctx, keyId);
    if (revokedAt !== null) return null;
    return `Revoke the API key ${plainName(name)} (${plainName(prefix)})? Programs that use it lose access at once. This cannot be undone.`;
  }),
]);

/** True for tools that may ask. */
export function mayAsk({ name, effect }: AnyTool): boolean {
  return effect === 'destroy' || questions.has(name);
}

/** Returns the question before this call; null: none. `raw` is not validated: the call refuses invalid input itself. */
export async function questionBefore(
  tool: AnyTool,
  ctx: ToolContext,
  raw: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  if (!mayAsk(tool) || raw['dryRun'] === true) return null;
  if (tool.scope !== null && !ctx.principal.scopes.has(tool.scope)) return null;
  const input = tool.input.safeParse(raw);
  if (!input.success) return null;
  const describe = questions.get(tool.name);
  if (describe === undefined)
    return `Carry out ${tool.name.replaceAll('_', ' ')}, which deletes data, with ${plainText(JSON.stringify(raw), inputMax)}?`;
  try {
    return await describe(ctx, input.data);
  } catch (error) {
    // The call itself reports the error.
    if (error instanceof AppError) return null;
    throw error;
  }
}
