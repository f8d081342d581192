import type { z } from 'zod';
import { Reference, type SaveDatasetBody } from '#src/contracts/experiments/dataset.ts';
import { AppError } from '#src/domain/app-error.ts';
import { rowOf } from '#src/domain/records/record-type.ts';
import type { AskedItem } from '#tools/datasets/read-table.ts';
import type { ToolContext } from '#tools/define.ts';
import { requireType } from '#tools/records/require.ts';
import { requireWorkflow } from '#tools/workflows/require-workflow.ts';

type Source = NonNullable<z.output<typeof SaveDatasetBody>['source']>;

interface Read {
  readonly items: readonly AskedItem[];
  /** Answers that are no such reference. */
  readonly skipped: number;
}

/** The part of an answer that is a reference of this kind; null where it is none. */
function answered(answer: unknown, as: 'label' | 'fields' | 'text'): z.output<typeof Reference> | null {
  const { data } = Reference.safeParse({ [as]: answer });
  return data ?? null;
}

/**
 * Documents with the newest answer of each. Errors: `workflow.not_found`; `request.invalid` for a path without answers, and where none is
 * such a reference.
 */
async function fromAnswers(
  ctx: ToolContext<'executions' | 'workflows'>,
  { workflowId, path, as, limit }: Extract<Source, { type: 'answers' }>,
): Promise<Read> {
  await requireWorkflow(ctx, workflowId);
  const runs = await ctx.deps.executions.answeredRuns(ctx.principal, { workflowId, path }, limit);
  const newest = new Map<string, unknown>();
  for (const { documentId, answers = [] } of runs) {
    const given = answers.findLast((one) => one.path === path);
    if (given !== undefined && !newest.has(documentId)) newest.set(documentId, given.answer);
  }
  const items = [...newest].flatMap(([documentId, answer]) => {
    const reference = answered(answer, as);
    return reference === null ? [] : [{ documentId, reference }];
  });
  if (items.length > 0) return { items, skipped: newest.size - items.length };
  const [member, message] =
    newest.size === 0
      ? ['path', `no run of this workflow has an answer at "${path}": take the path from waitingFor of a run`]
      : ['as', `none of ${newest.size} answers at "${path}" can be ${as}: use another member of the reference`];
  throw new AppError('request.invalid', `Field /source/${member}: ${message}.`, {
    errors: [{ pointer: `/source/${member}`, code: 'invalid_value', message }],
  });
}

/** Documents with their confirmed records. Error: `record_type.not_found`. */
async function fromRecords(
  ctx: ToolContext<'records' | 'recordTypes'>,
  { recordType, limit }: Extract<Source, { type: 'records' }>,
  projectId: string,
): Promise<Read> {
  const of = { organizationId: ctx.principal.organizationId, projectId };
  const type = await requireType(ctx, of, recordType);
  const question = { ...of, recordTypeId: type._id, status: 'confirmed', terms: [] } as const;
  const found = await ctx.deps.records.query(question, { path: null, descending: true }, { after: null, limit });
  const items = found.map(({ documentId, cells }) => {
    const fields = cells
      .filter(({ path }) => rowOf(path) === null)
      .map(({ path, value }) => [path, typeof value === 'object' ? (value?.amount ?? null) : value] as const);
    return { documentId, reference: { fields: Object.fromEntries(fields) } };
  });
  return { items, skipped: 0 };
}

async function fromSearch(
  { deps, principal }: ToolContext<'search'>,
  { query, limit }: Extract<Source, { type: 'search' }>,
): Promise<Read> {
  const { organizationId, projectIds } = principal;
  const { hits } = await deps.search.search({ text: query, organizationId, projectIds, limit });
  return { items: hits.map(({ documentId }) => ({ documentId })), skipped: 0 };
}

/** Items of a source. Errors: `request.invalid` names the line; `workflow.not_found`. */
export async function readSource(
  ctx: ToolContext<'executions' | 'records' | 'recordTypes' | 'search' | 'workflows'>,
  source: Source,
  projectId: string,
): Promise<Read> {
  switch (source.type) {
    case 'jsonl':
      return { items: (await import('#tools/datasets/read-table.ts')).fromJsonl(source.text), skipped: 0 };
    case 'csv':
      return { items: (await import('#tools/datasets/read-table.ts')).fromCsv(source.text), skipped: 0 };
    case 'answers':
      return fromAnswers(ctx, source);
    case 'records':
      return fromRecords(ctx, source, projectId);
    case 'search':
      return fromSearch(ctx, source);
  }
}
