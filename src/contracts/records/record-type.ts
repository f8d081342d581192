import { z } from 'zod';
import { ExpressionText } from '#src/contracts/resources/graph.ts';
import { AnyId, Name, Timestamp, isPlain, plainOnly } from '#src/contracts/fields.ts';

/** Bounds of record types and records. Source: docs/decisions/0138. */
export const recordLimits = {
  /** Types of one project. */
  types: 100,
  versions: 200,
  fields: 50,
  /** Fields of one object, or of the rows of one list. */
  inside: 20,
  /** Rows of one list in a record. */
  rows: 200,
  /** Characters of a text. */
  characters: 2_000,
  rules: 20,
  /** Corrections that a record remembers, the newest. */
  corrections: 200,
  /** Cells of one request that corrects a record. */
  changes: 500,
  conditions: 20,
  groups: 1_000,
  /** Records of one table or file of JSON Lines. */
  exported: 5_000,
} as const;

export const valueTypes = ['string', 'number', 'integer', 'boolean', 'date', 'money', 'enum'] as const;
export type ValueType = (typeof valueTypes)[number];

/** Names that results of `extract` use themselves. */
const reserved: ReadonlySet<string> = new Set(['missing', 'modelLabel', 'ocrResultId', 'record', 'constructor']);
const FieldName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'use letters, digits and _, beginning with a letter')
  .refine((name) => !reserved.has(name), 'this name is reserved: use another name');

const Words = z.string().trim().min(1).max(100).refine(isPlain, plainOnly);
const described = {
  description: z.string().max(1_000).optional().describe('What the field holds, for models'),
  aliases: z.array(Words).max(30).optional().describe('Other names of the field in documents'),
};

const ValueField = z
  .strictObject({
    type: z.enum(valueTypes).describe('date: YYYY-MM-DD; money: { amount, currency }'),
    ...described,
    values: z.array(Words).min(1).max(100).optional().describe('Values of an enum'),
    required: z.boolean().optional().describe('true: a record without it is doubtful'),
  })
  .refine(({ type, values }) => (type === 'enum') === (values !== undefined), {
    path: ['values'],
    message: 'an enum needs values, and no other type has them',
  });

const fewEnough = (fields: object, most: number): boolean => {
  const { length } = Object.keys(fields);
  return length >= 1 && length <= most;
};

const NestedField = z.strictObject({
  type: z.enum(['object', 'list']).describe('list: rows, such as the items of an invoice'),
  ...described,
  fields: z
    .record(FieldName, ValueField)
    .refine((fields) => fewEnough(fields, recordLimits.inside), `use 1 to ${recordLimits.inside} fields`),
  required: z.boolean().optional(),
});

export const RecordField = z.union([ValueField, NestedField]);
export type RecordField = z.output<typeof RecordField>;
type Nested = z.output<typeof NestedField>;

export const isNested = (field: RecordField): field is Nested => field.type === 'object' || field.type === 'list';

export const TypeName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'use lower-case letters, digits, - and _, beginning with a letter')
  .describe('Name of a record type, such as invoice');

const Rule = z.strictObject({
  name: TypeName,
  expression: ExpressionText.describe(
    'CEL over the fields, true where all is right: total.amount == net.amount + tax.amount',
  ),
  message: z.string().min(1).max(300).refine(isPlain, plainOnly).describe('What is wrong where it is false'),
});

const fields = z
  .record(FieldName, RecordField)
  .refine((given) => fewEnough(given, recordLimits.fields), `use 1 to ${recordLimits.fields} fields`)
  .describe('Fields by name, in the order of the columns');

export const SaveRecordTypeBody = z.strictObject({
  name: TypeName,
  projectId: AnyId.optional().describe('Required when you have several projects'),
  title: Name.optional().describe('Default: the name'),
  fields,
  rules: z
    .array(Rule)
    .max(recordLimits.rules)
    .default([])
    .describe('Rules over the values. A record that breaks one is doubtful; a rule over a missing value is left out'),
  baseVersion: z
    .int()
    .min(0)
    .max(999_999_999)
    .optional()
    .describe('Version that the change is based on; required when the type exists. 0: a preset that nobody saved'),
});

/** The same for agents: the schemas of fields and rules are in words, since every tool list has them. */
export const SaveRecordTypeInput = SaveRecordTypeBody.extend({
  fields: z.unknown().pipe(fields).meta({
    type: 'object',
    description:
      '{name: {type: string | number | integer | boolean | date | money | enum, values?: [of an enum], aliases?: [labels in documents], description?, required?} | {type: object | list, fields: {...}}}',
  }),
  rules: z
    .array(z.unknown())
    .default([])
    .pipe(SaveRecordTypeBody.shape.rules.unwrap())
    .describe('[{name, expression: CEL over the fields, true where right, message}]'),
});

export const RecordType = z
  .object({
    recordTypeId: z.string(),
    name: z.string(),
    title: z.string(),
    projectId: z.string(),
    version: z.int().describe('0: a preset that the project has not used yet'),
    fields: z.record(z.string(), RecordField),
    rules: z.array(Rule),
    updatedAt: Timestamp.nullable(),
  })
  .meta({ id: 'RecordType' });

export const RecordTypeList = z.object({ recordTypes: z.array(RecordType) });
export const RecordTypeListQuery = z.strictObject({
  projectId: AnyId.optional().describe('Required when you have several projects'),
});
