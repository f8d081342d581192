import type { z } from 'zod';
import { recordLimits } from '#src/contracts/records/record-type.ts';
import { CorrectRecordInput, DocumentRecord } from '#src/contracts/records/record.ts';
import { AppError } from '#src/domain/app-error.ts';
import { correctCells, problemsOf, statusOf } from '#src/domain/records/change.ts';
import { correctedText } from '#src/domain/records/corrected-text.ts';
import { facetsOf } from '#src/domain/records/facets.ts';
import { pathsOf, type RecordTypeRecord } from '#src/domain/records/record-type.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import { valuesOf } from '#src/domain/records/values.ts';
import { brokenSoon } from '#graphs/records/broken-rules.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRecord, sayerOf } from '#tools/records/present.ts';
import { requireRecord, requireType } from '#tools/records/require.ts';

type Context = ToolContext<'documents' | 'recordTypes' | 'records' | 'search' | 'thumbnails' | 'trash'>;

export const correctRecord = defineTool({
  name: 'correct_record',
  description: 'Sets cells of a record and confirms it; without set it only confirms. No run replaces them afterwards.',
  scope: 'documents:write',
  effect: 'write',
  idempotent: true,
  input: CorrectRecordInput,
  output: DocumentRecord,
  async run(ctx: Context, asked) {
    const before = await requireRecord(ctx, asked.recordId);
    if (asked.revision !== undefined && asked.revision !== before.revision) throw conflict(before.revision);
    const type = await requireType(ctx, before, before.recordType);
    const after = corrected(ctx, { before, type }, asked);
    const row = {
      ...after,
      values: valuesOf(after.cells, type.fields),
      facets: facetsOf(after.cells, pathsOf(type.fields)),
    };
    if (!(await ctx.deps.records.save(row))) throw conflict(before.revision + 1);
    const document = await ctx.deps.documents.find(ctx.principal, after.documentId);
    // A deletion of the document that went on meanwhile has looked for records already.
    if (document === null) {
      const { organizationId, documentId } = after;
      if (await ctx.deps.trash.holds(organizationId, documentId))
        await ctx.deps.trash.settle({ organizationId, _id: documentId });
      else await ctx.deps.records.deleteOf(organizationId, documentId);
      throw new AppError('record.not_found', 'The document of this record was deleted.');
    }
    if (Object.keys(asked.set).length + asked.remove.length > 0) await reindex(ctx, after);
    return presentRecord(after, document, ctx.deps.thumbnails);
  },
});

/** Lets search find the document by its corrected values, also after a run that indexes it again. */
async function reindex({ deps, principal }: Context, { organizationId, documentId }: RecordRecord): Promise<void> {
  const text = correctedText(await deps.records.ofDocument(principal, documentId));
  await deps.documents.setRecordText(organizationId, documentId, text);
  await deps.search.setRecordText(organizationId, documentId, text);
}

function conflict(revision: number): AppError {
  return new AppError(
    'record.conflict',
    'The record was changed meanwhile. Read it again, then correct it with its revision.',
    { errors: [{ pointer: '/revision', code: 'conflict', message: `the revision is at least ${revision}` }] },
  );
}

function corrected(
  ctx: Context,
  { before, type }: { readonly before: RecordRecord; readonly type: RecordTypeRecord },
  { set, remove, confirm }: z.output<typeof CorrectRecordInput>,
): RecordRecord {
  const at = new Date();
  const by = { by: sayerOf(ctx.principal), actorId: ctx.principal.actorId, at };
  const { cells, corrections } = correctCells(before.cells, type.fields, { set, remove }, by);
  const problems = problemsOf(cells, type, brokenSoon(type.rules, valuesOf(cells, type.fields)));
  return {
    ...before,
    typeVersion: type.version,
    cells,
    problems,
    status: statusOf(problems, confirm),
    corrections: [...before.corrections, ...corrections].slice(-recordLimits.corrections),
    revision: before.revision + 1,
    updatedAt: at,
  };
}
