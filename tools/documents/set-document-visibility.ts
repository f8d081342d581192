import { VisibilityChange, VisibilityResult } from '#src/contracts/resources/document.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

export const setDocumentVisibility = defineTool({
  name: 'set_document_visibility',
  description: 'Make documents private to their project, or public.',
  scope: 'documents:write',
  effect: 'write',
  idempotent: true,
  input: VisibilityChange,
  output: VisibilityResult,
  async run(ctx: ToolContext<'audit' | 'documents' | 'search'>, { documentIds, visibility }) {
    const { deps, principal, requestId } = ctx;
    // All or nothing: with one foreign id, no document changes.
    if ((await deps.documents.countOwned(principal, documentIds)) !== documentIds.length) throw documentMissing();
    await deps.documents.setVisibility(principal, documentIds, visibility);
    await deps.search.setVisibility(principal.organizationId, documentIds, visibility);
    const target = documentIds.length === 1 ? (documentIds[0] ?? '') : `${documentIds.length} documents`;
    await record(ctx, 'document.visibility', target, { documentIds, visibility, requestId });
    return { documents: documentIds.map((id) => ({ id, visibility })) };
  },
});
