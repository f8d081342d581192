import { DocumentPath, DocumentRunsQuery } from '#src/contracts/resources/document.ts';
import { RunList } from '#src/contracts/resources/execution.ts';
import { callTool } from '#tools/call.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireDocument } from '#tools/documents/require-document.ts';
import { listRuns } from '#tools/runs/list-runs.ts';

/** Unlike list_runs, fails for a document that does not exist. */
export const listDocumentRuns = defineTool({
  name: 'list_document_runs',
  description: 'Runs over one document, newest first.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: DocumentPath.extend(DocumentRunsQuery.shape),
  output: RunList,
  async run(ctx: ToolContext<'audit' | 'cursorSecret' | 'documents' | 'executions' | 'thumbnails'>, { id, ...page }) {
    await requireDocument(ctx.deps, ctx.principal, id);
    return callTool(listRuns, ctx, { documentId: id, ...page });
  },
});
