import { z } from 'zod';
import { recordStatuses } from '#src/contracts/records/record.ts';
import type { ScalarType } from '#src/domain/extract-locally/field.ts';

const Evidence = z
  .object({
    text: z.string(),
    start: z.int().min(0),
    end: z.int().min(0),
    page: z.int().min(0),
    box: z.array(z.number()).nullable().describe('[x, y, width, height] as fractions 0..1 of the page'),
  })
  .meta({ id: 'Evidence', description: 'Place of a value in the recognized text' });

const Money = z
  .object({ amount: z.number(), currency: z.string().nullable() })
  .meta({ id: 'Money', description: 'currency: ISO 4217' });

const confidence = z.number().min(0).max(1);

const scalar = <Value extends z.ZodType>(id: string, value: Value) =>
  z
    .object({ value: value.nullable(), evidence: Evidence.nullable(), confidence, verified: z.boolean() })
    .meta({ id, description: 'value: null if it was not found' });

const scalars = {
  string: scalar('FoundText', z.string()),
  date: scalar('FoundDate', z.string().describe('YYYY-MM-DD')),
  number: scalar('FoundNumber', z.number()),
  integer: scalar('FoundInteger', z.int()),
  boolean: scalar('FoundBoolean', z.boolean()),
  money: scalar('FoundMoney', Money),
} satisfies Readonly<Record<ScalarType, z.ZodType>>;

const FoundTexts = z
  .object({
    value: z.array(z.string()).nullable(),
    evidence: z.array(Evidence.nullable()).nullable(),
    confidence,
    verified: z.boolean(),
  })
  .meta({ id: 'FoundTexts' });

/** A field that holds other fields: their evidence stands inside. */
const nested = <Value extends z.ZodType>(value: Value) =>
  z.object({ value: value.nullable(), evidence: z.null(), confidence, verified: z.boolean() });

/** Field of a config or of a record type; it can be invalid. */
interface Rule {
  readonly type?: unknown;
  readonly fields?: unknown;
  readonly items?: unknown;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Shapes of the fields that `extract` finds, by name. */
export function foundShapes(fields: Readonly<Record<string, unknown>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, rule]) => [name, foundShape(isRecord(rule) ? rule : {})]),
  );
}

function foundShape({ type, fields, items }: Rule): z.ZodType {
  if (type === 'object' && isRecord(fields)) return nested(z.object(foundShapes(fields)));
  if (type === 'array') {
    const rows = isRecord(items) && items['type'] === 'object' ? items['fields'] : undefined;
    return isRecord(rows) ? nested(z.array(z.object(foundShapes(rows)))) : FoundTexts;
  }
  return typeof type === 'string' && Object.hasOwn(scalars, type) ? scalars[type as ScalarType] : z.unknown();
}

/** Facts that stand beside the fields. */
export const besideFields = {
  missing: z.array(z.string()).describe('Required fields that were not found'),
  modelLabel: z.string(),
  ocrResultId: z.string().nullable(),
};

/** The stored record; absent in runs of experiments, which store none. */
export const RecordFacts = z.object({
  recordId: z.string(),
  recordType: z.string(),
  status: z.enum(recordStatuses),
  problems: z.array(z.object({ code: z.string(), field: z.string(), detail: z.string() })),
});
