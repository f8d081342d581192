import type { z } from 'zod';
import { DocumentPath } from '#src/contracts/resources/document.ts';
import { Upload, uploadAddress, UploadQuery } from '#src/contracts/resources/upload.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { executionIdOf } from '#src/domain/ids.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';
import { presentExecution, presentRun } from '#tools/runs/present.ts';
import { waitForExecution, waitUntilStored } from '#tools/runs/wait-for-execution.ts';

type Context = ToolContext<'documents' | 'events' | 'executions' | 'steps' | 'stopping' | 'workflows' | 'thumbnails'>;

/** The same error for documents of other keys and for unknown ones, so that it reveals nothing. Error: `document.not_found`. */
async function requireOwn({ deps, principal }: Context, documentId: string): Promise<DocumentRecord> {
  const found = await deps.documents.find(principal, documentId);
  if (found === null || principal.keyId === null || found.apiKeyId !== principal.keyId || found.family === 'derived')
    throw documentMissing();
  return found;
}

/** Reads an upload for the workflow key that made it, which can read nothing else. Source: `ingest.upload`, docs/decisions/0159. */
export const getUpload = defineTool({
  name: 'get_upload',
  description: 'Status and outputs of an upload of this key.',
  scope: 'uploads:write',
  effect: 'read',
  idempotent: true,
  input: DocumentPath.extend(UploadQuery.shape),
  output: Upload,
  async run(ctx: Context, { id: documentId, wait }) {
    // The execution is stored before the event leaves the outbox, so the document is read first.
    let document = await requireOwn(ctx, documentId);
    const executionId = executionIdOf(documentId);
    if (wait > 0) {
      const deadline = performance.now() + wait * 1_000;
      const isThere = !isPending(document) || (await waitUntilStored(ctx, executionId, wait));
      const left = Math.max(0, (deadline - performance.now()) / 1_000);
      if (isThere && (await find(ctx, executionId)) !== null) await waitForExecution(ctx, executionId, left, 'end');
      // It may have been deleted meanwhile.
      document = await requireOwn(ctx, documentId);
    }
    return reply(ctx, document, executionId);
  },
});

/** True while the request for the execution waits in the outbox. */
const isPending = ({ pendingEvents }: DocumentRecord): boolean =>
  pendingEvents.some(({ name }) => name === 'document/process.upload');

const find = ({ deps, principal }: Context, executionId: string) => deps.executions.find(principal, executionId);

async function reply(ctx: Context, document: DocumentRecord, executionId: string): Promise<z.input<typeof Upload>> {
  const { _id: documentId, organizationId } = document;
  const execution = await find(ctx, executionId);
  const links = { self: uploadAddress(documentId) };
  if (execution === null)
    return { documentId, status: isPending(document) ? 'queued' : null, execution: null, runs: [], links };
  const runs = await ctx.deps.executions.resultsOf(organizationId, [executionId], [documentId]);
  const { runs: _runs, links: _links, ...shown } = presentExecution(execution, runs, ctx);
  return {
    documentId,
    status: shown.status,
    execution: shown,
    runs: runs.map((run) => ({ ...presentRun(run), outputs: run.outputs === undefined ? null : { ...run.outputs } })),
    links,
  };
}
