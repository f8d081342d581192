import type { z } from 'zod';
import { QueryRecordsInput, RecordPage } from '#src/contracts/records/record.ts';
import { recordLimits } from '#src/contracts/records/record-type.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import {
  readFilter,
  readGrouping,
  readSort,
  type Grouping,
  type RecordSort,
} from '#src/domain/records/read-question.ts';
import { pathsOf } from '#src/domain/records/record-type.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { FoundGroup, RecordPlace, RecordQuestion } from '#src/stores/records/record-queries.ts';
import type { RecordRow } from '#src/stores/records/row.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentRecord } from '#tools/records/present.ts';
import { requireType } from '#tools/records/require.ts';

type Asked = z.output<typeof QueryRecordsInput>;
type Context = ToolContext<'cursorSecret' | 'documents' | 'recordTypes' | 'records' | 'thumbnails'>;
type Page = z.input<typeof RecordPage>;

export const queryRecords = defineTool({
  name: 'query_records',
  description:
    'Finds, sorts, groups and adds up records: fields of documents as a table, with page and box. Types: list_record_types. Example: {"recordType": "invoice", "filter": {"total": {"gt": 500}}}',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: QueryRecordsInput,
  output: RecordPage,
  async run(ctx: Context, asked) {
    const { deps, principal } = ctx;
    if (asked.recordType === undefined) return ofDocument(ctx, asked);
    const of = { organizationId: principal.organizationId, projectId: projectFor(principal, asked.projectId) };
    const type = await requireType(ctx, of, asked.recordType);
    const paths = pathsOf(type.fields);
    const question: RecordQuestion = {
      ...of,
      recordTypeId: type._id,
      documentId: asked.documentId,
      status: asked.status,
      terms: readFilter(paths, asked.filter ?? {}),
    };
    const head = {
      name: type.name,
      version: type.version,
      fields: paths.map(({ path }) => path),
      lists: [...new Set(paths.flatMap(({ list }) => list ?? []))],
    };
    const grouping = readGrouping(paths, asked.groupBy, asked.aggregate);
    if (grouping !== null) {
      const groups = await deps.records.groups(question, grouping, Math.min(asked.limit, recordLimits.groups));
      return {
        recordType: head,
        records: [],
        groups: groups.map((one) => presentGroup(one, grouping)),
        nextCursor: null,
      };
    }
    return { recordType: head, groups: null, ...(await pageOf(ctx, question, asked, readSort(paths, asked.sort))) };
  },
});

/** All records of one document, whatever their type. */
async function ofDocument(ctx: Context, { documentId, filter, groupBy, aggregate, sort }: Asked): Promise<Page> {
  if (
    documentId === undefined ||
    filter !== undefined ||
    groupBy !== undefined ||
    aggregate !== undefined ||
    sort !== undefined
  ) {
    const message = 'name the type of the records; only the records of one document can be listed without it';
    throw new AppError('request.invalid', `Field /recordType: ${message}.`, {
      errors: [{ pointer: '/recordType', code: 'required', message }],
    });
  }
  const found = await ctx.deps.records.ofDocument(ctx.principal, documentId);
  return { recordType: null, records: await presented(ctx, found), groups: null, nextCursor: null };
}

async function pageOf(ctx: Context, question: RecordQuestion, { cursor, limit, ...asked }: Asked, sort: RecordSort) {
  const { cursorSecret, records } = ctx.deps;
  const binding = JSON.stringify(['records', question, sort, asked.filter ?? {}]);
  const after = cursor === undefined ? null : placeOf(decodeCursor(cursorSecret, binding, cursor).id);
  const found = await records.query(question, sort, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    found.length > limit && last !== undefined
      ? encodeCursor(cursorSecret, binding, { createdAt: last.createdAt, id: placeToken(last, sort) })
      : null;
  return { records: await presented(ctx, page), nextCursor };
}

async function presented({ deps, principal }: Context, found: readonly RecordRecord[]): Promise<Page['records']> {
  const ids = [...new Set(found.map(({ documentId }) => documentId))];
  const documents = new Map((await deps.documents.findMany(principal, ids)).map((one) => [one._id, one]));
  return found.map((one) => presentRecord(one, documents.get(one.documentId) ?? null, deps.thumbnails));
}

/** The sort value and the id of the last record, as a token of a signed cursor. */
function placeToken({ _id, createdAt, values }: RecordRow, { path }: RecordSort): string {
  const value = path === null ? createdAt.getTime() : valueAt(values, path);
  return Buffer.from(JSON.stringify([value, _id])).toString('base64url');
}

function valueAt(values: unknown, path: string): unknown {
  return (
    path
      .split('.')
      .reduce<unknown>(
        (value, name) => (typeof value === 'object' ? (value as Record<string, unknown> | null)?.[name] : null),
        values,
      ) ?? null
  );
}

function placeOf(token: string): RecordPlace {
  const [value, id] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [RecordPlace['value'], string];
  return { value, id };
}

/** Decimals of sums and means: binary fractions leave more. */
const round = (value: unknown): unknown => (typeof value === 'number' ? Number(value.toFixed(6)) : value);
type Shown = NonNullable<Page['groups']>[number]['values'][string];
const shown = (value: unknown): Shown => (value === '' || value === undefined ? null : (round(value) as Shown));

function presentGroup({ key, count, values }: FoundGroup, { by }: Grouping): NonNullable<Page['groups']>[number] {
  return {
    key: Object.fromEntries(by.map(({ name }, at) => [name, shown(key[at])])),
    count,
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(value)])),
  };
}
