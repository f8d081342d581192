import { z } from 'zod';
import { AnyId, Cursor, QueryBoolean, CappedLimit, Timestamp, limits } from '#src/contracts/fields.ts';
import { recordLimits, TypeName } from '#src/contracts/records/record-type.ts';
import { WebLinks } from '#src/contracts/results/web-links.ts';

export const recordStatuses = ['proposed', 'doubtful', 'confirmed'] as const;
export type RecordStatus = (typeof recordStatuses)[number];

export const sayers = ['rules', 'model', 'person', 'agent'] as const;
export type Sayer = (typeof sayers)[number];

const Money = z.object({ amount: z.number(), currency: z.string().nullable().describe('ISO 4217 code, where known') });
const Value = z.union([z.string(), z.number(), z.boolean(), Money]).nullable();

const Cell = z
  .object({
    value: Value,
    raw: z.string().nullable().describe('The words in the document'),
    confidence: z.number().min(0).max(1),
    verified: z.boolean().describe('true: the document contains it'),
    page: z.int().nullable().describe('Page, counted from 0'),
    box: z
      .tuple([z.number(), z.number(), z.number(), z.number()])
      .nullable()
      .describe('x, y, width and height as shares of the page'),
    by: z.enum(sayers),
    at: Timestamp,
    runId: z.string().nullable(),
  })
  .meta({ id: 'RecordCell' });

const Path = z
  .string()
  .min(1)
  .max(200)
  .describe('Path of a cell: total, or items.0.amount for the first row of a list');

export const DocumentRecord = z
  .object({
    recordId: z.string(),
    documentId: z.string(),
    document: z
      .object({ title: z.string().nullable(), filename: z.string().nullable() })
      .nullable()
      .describe('Names of the document, untrusted; null: it is deleted'),
    recordType: z.string(),
    typeVersion: z.int(),
    status: z
      .enum(recordStatuses)
      .describe('doubtful: problems says why; confirmed: a person or an agent has checked it'),
    problems: z.array(
      z.object({
        code: z.enum(['missing', 'unsure', 'rule']),
        field: z.string().describe('Path of the cell, or name of the rule'),
        detail: z.string(),
      }),
    ),
    cells: z.record(z.string(), Cell).describe('Cells by path'),
    corrections: z.int().describe('Number of changed cells that the record remembers'),
    revision: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    links: WebLinks,
    pageUrls: z
      .record(z.string(), z.string())
      .describe('Pictures of the pages that the cells are on, by page; they expire'),
  })
  .meta({ id: 'Record' });

const Scalar = z.union([z.string().max(recordLimits.characters), z.number(), z.boolean()]);
export const Condition = z.union([
  Scalar,
  z.strictObject({
    eq: Scalar.optional(),
    ne: Scalar.optional(),
    gt: Scalar.optional(),
    gte: Scalar.optional(),
    lt: Scalar.optional(),
    lte: Scalar.optional(),
    in: z.array(Scalar).min(1).max(100).optional(),
    contains: z.string().min(1).max(200).optional(),
    exists: z.boolean().optional(),
    currency: z.string().min(1).max(10).optional().describe('Of money'),
  }),
]);
export type Condition = z.output<typeof Condition>;

export const RecordFilter = z
  .record(z.string().min(1).max(200), Condition)
  .refine(
    (filter) => Object.keys(filter).length <= recordLimits.conditions,
    `use at most ${recordLimits.conditions} conditions`,
  );
export type RecordFilter = z.output<typeof RecordFilter>;

/** Parses an object that a query string has as JSON; objects pass as they are. */
export const inJson = <Shape extends z.ZodType>(shape: Shape) =>
  z
    .union([z.string().max(10_000), z.record(z.string(), z.unknown())])
    .transform((given, context): unknown => {
      if (typeof given !== 'string') return given;
      try {
        return JSON.parse(given);
      } catch {
        context.addIssue({ code: 'custom', message: 'expected JSON, such as {"total":{"gt":500}}' });
        return z.NEVER;
      }
    })
    .pipe(shape);

const Part = z.string().min(1).max(200);
const Parts = z.array(Part).max(10);
const separated = z
  .string()
  .max(1_000)
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(Parts);

const asked = {
  recordType: TypeName.optional().describe('Required, unless documentId is given'),
  projectId: AnyId.optional().describe('Required when you have several projects'),
  documentId: AnyId.optional().describe('Only the records of this document'),
  status: z.enum(recordStatuses).optional(),
  sort: z.string().max(200).optional().describe('Field, with - for descending; default: the newest first'),
  cursor: Cursor.optional(),
};

export const QueryRecordsInput = z.strictObject({
  ...asked,
  filter: z.unknown().optional().pipe(RecordFilter.optional()).meta({
    type: 'object',
    description:
      'Conditions by field, all hold: {"total": {"gt": 500, "currency": "EUR"}, "date": {"gte": "2026-05-01"}, "merchant": {"contains": "grocer"}, "items.amount": 10}. Operators: eq, ne, gt, gte, lt, lte, in, contains, exists',
  }),
  groupBy: Parts.optional().describe('Fields; dates by part: date:year, date:month, date:day'),
  aggregate: Parts.optional().describe(
    'count, sum(total), avg(total), min(date), max(items.amount); money by currency',
  ),
  limit: CappedLimit(1, recordLimits.exported).default(limits.pageDefault),
});

export const RecordsQuery = z.strictObject({
  ...asked,
  filter: inJson(RecordFilter)
    .optional()
    .describe('Conditions as JSON: {"total":{"gt":500},"date":{"gte":"2026-05-01"}}'),
  groupBy: separated.optional().describe('Fields, separated by commas; dates by part: date:month'),
  aggregate: separated.optional().describe('count, sum(total), avg(total), min(date), max(date), separated by commas'),
  limit: CappedLimit(1, recordLimits.exported)
    .optional()
    .describe(`Default: ${limits.pageDefault} as JSON, ${recordLimits.exported} as JSON Lines and CSV`),
  format: z.enum(['json', 'jsonl', 'csv']).default('json'),
  explode: z.string().max(64).optional().describe('List whose rows are rows of the table'),
  cells: QueryBoolean.default(true).describe('false: values only, in jsonl'),
  boxes: QueryBoolean.default(false).describe(
    'true: in csv, two more columns for each field: its page, and its box as x y width height in shares of the page',
  ),
});

export type RecordsQuery = z.output<typeof RecordsQuery>;

const RecordGroup = z.object({
  key: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable()),
  count: z.int().describe('Records; with a field of a list, its rows'),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable()),
});

export const RecordPage = z.object({
  recordType: z
    .object({
      name: z.string(),
      version: z.int(),
      fields: z.array(z.string()).describe('Paths that conditions take'),
      lists: z.array(z.string()),
    })
    .nullable(),
  records: z.array(DocumentRecord).describe('Empty with groupBy or aggregate'),
  groups: z.array(RecordGroup).nullable().describe('The largest groups first; null without groupBy and aggregate'),
  nextCursor: z.string().nullable(),
});

export type RecordPage = z.output<typeof RecordPage>;

export const RecordPath = z.strictObject({ recordId: AnyId });
export const CorrectRecordBody = z.strictObject({
  revision: z
    .int()
    .min(1)
    .max(999_999_999)
    .optional()
    .describe('Refuse when the record has another revision meanwhile'),
  set: z
    .record(Path, Value)
    .refine((set) => Object.keys(set).length <= recordLimits.changes, `use at most ${recordLimits.changes} cells`)
    .default({})
    .describe('Values by path; null: the document has none. items.3.amount in a list of 3 rows adds a row'),
  remove: z.array(Path).max(recordLimits.rows).default([]).describe('Rows to remove, such as items.2; done last'),
  confirm: z.boolean().default(true).describe('false: leave the record unconfirmed'),
});
/** The same for agents: the schema of values is in words, since every tool list has them. */
export const CorrectRecordInput = CorrectRecordBody.extend(RecordPath.shape).extend({
  set: z.unknown().default({}).pipe(CorrectRecordBody.shape.set.unwrap()).meta({
    type: 'object',
    description:
      'Values by path: {"total": {"amount": 9.5, "currency": "EUR"}, "items.0.description": "Bread", "tax": null}; null: the document has none; items.3.amount in a list of 3 rows adds a row',
  }),
});
