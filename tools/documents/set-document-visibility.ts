import type { z } from 'zod';
import {
  VisibilityBody,
  VisibilityChange,
  VisibilityResult,
  VisibilityResults,
} from '#src/contracts/resources/document.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { chooseDocuments, goOn } from '#tools/documents/lists/choose-documents.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

type Context = ToolContext<'audit' | 'cursorSecret' | 'documents' | 'recordTypes' | 'records' | 'search'>;

async function setVisibility(
  ctx: Context,
  { visibility, ...asked }: z.output<typeof VisibilityBody>,
): Promise<z.input<typeof VisibilityResults>> {
  const { deps, principal, requestId } = ctx;
  const chosen = await chooseDocuments(ctx, 'visibility', asked);
  const documentIds = chosen.ids;
  // All or nothing: with one foreign id, no document changes.
  const isNamed = asked.filter === undefined;
  if (isNamed && (await deps.documents.countOwned(principal, documentIds)) !== documentIds.length)
    throw documentMissing();
  if (documentIds.length > 0) {
    await deps.documents.setVisibility(principal, documentIds, visibility);
    await deps.search.setVisibility(principal.organizationId, documentIds, visibility);
    const target = documentIds.length === 1 ? (documentIds[0] ?? '') : `${documentIds.length} documents`;
    await record(ctx, 'document.visibility', target, { documentIds, visibility, requestId });
  }
  return { documents: documentIds.map((id) => ({ id, visibility })), ...goOn(chosen) };
}

const change = {
  scope: 'documents:write',
  effect: 'write',
  idempotent: true,
  run: setVisibility,
} as const;

export const setDocumentVisibility = defineTool({
  ...change,
  name: 'set_document_visibility',
  description: 'Make documents private to their project, or public.',
  input: VisibilityChange,
  output: VisibilityResult,
});

/** The same for people and programs: also by a filter. Source: `documents.filtered`, docs/decisions/0202. */
export const setVisibilityOfMany = defineTool({
  ...change,
  name: 'set_visibility_of_many',
  description: 'Make documents, or those that match a filter, private to their project, or public.',
  input: VisibilityBody,
  output: VisibilityResults,
});
