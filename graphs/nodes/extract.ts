import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { scalarTypes, type FoundField } from '#src/domain/extract-locally/field.ts';
import { missingOf, withEvidence, type RequiredRule } from '#src/domain/extract-locally/required.ts';
import { localFinder } from '#src/domain/extract-locally/extract-locally.ts';
import { AppError } from '#src/domain/app-error.ts';
import { defineNode, type NodeCall, type OutputFacts } from '#graphs/define.ts';
import { hasRefs } from '#graphs/expression/config.ts';
import {
  engineField,
  modelField,
  outputField,
  outputOf,
  outputTokensField,
  textLimitField,
} from '#graphs/models/config-fields.ts';
import { extractByModel } from '#graphs/models/extract-by-model.ts';
import { modelLabelOf, requestOptions, usesModel } from '#graphs/models/request.ts';
import { rulesUsage } from '#graphs/models/usage.ts';
import { OcrFacts, readFacts, stillThere } from '#graphs/nodes/facts.ts';
import { besideFields, foundShapes, RecordFacts } from '#graphs/nodes/found-fields.ts';
import { questionAbout, readAnswer, recordFacts } from '#graphs/records/review-record.ts';
import { recordTypeOf } from '#graphs/records/record-type-of.ts';
import { storeAnswer, storeFound } from '#graphs/records/store-record.ts';
import { TypeName } from '#src/contracts/records/record-type.ts';
import { fieldsOf, rulesOf } from '#src/domain/records/from-fields.ts';
import { withOnlyCurrency } from '#src/domain/records/only-currency.ts';
import type { RecordTypeRecord } from '#src/domain/records/record-type.ts';

/** Version of the rules: another one computes kept outcomes again. */
const rules = 'rules-5';

/** Names that the result uses itself. */
const reserved = new Set(['missing', 'modelLabel', 'ocrResultId', 'record']);

const fieldNames = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/);
const described = {
  description: z.string().max(1_000).optional().describe('Description of the field, for the model'),
  aliases: z
    .array(z.string().trim().min(1).max(100))
    .max(30)
    .optional()
    .describe('Other names of the field in documents, such as headers of a column'),
  required: z
    .boolean()
    .default(false)
    .describe('true: list the field in missing if it is not found; for fields of items: if a row lacks it'),
};

/** Field of an object or of a row: one level of nesting. */
const Inner = z.strictObject({
  type: z
    .enum([...scalarTypes, 'array'])
    .describe('date: YYYY-MM-DD; money: { amount, currency }; array: list of texts'),
  items: z.strictObject({ type: z.literal('string') }).optional(),
  ...described,
});
const Cell = z.strictObject({ type: z.enum(scalarTypes), ...described });

const mostInside = 20;
const inside = <T extends z.ZodType>(field: T) =>
  z
    .record(fieldNames, field)
    .refine(
      (fields) => Object.keys(fields).length >= 1 && Object.keys(fields).length <= mostInside,
      `expected 1 to ${mostInside} fields`,
    );

const Field = z
  .strictObject({
    type: z
      .enum([...scalarTypes, 'object', 'array'])
      .describe('date: YYYY-MM-DD; money: { amount, currency }; object: has fields; array: list of items'),
    items: z
      .union([
        z.strictObject({ type: z.literal('string') }),
        z.strictObject({ type: z.literal('object'), fields: inside(Cell) }),
      ])
      .optional()
      .describe('Items of an array: texts, or objects with fields, such as the line items of an invoice'),
    fields: inside(Inner).optional().describe('Fields of an object by name'),
    ...described,
  })
  .superRefine(({ type, fields, items }, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (type === 'object' && fields === undefined) issue('fields', 'a field of type object needs fields');
    if (type !== 'object' && fields !== undefined)
      issue('fields', type === 'array' ? 'fields of an array stand in items' : `a field of type ${type} has no fields`);
    if (type !== 'array' && items?.type === 'object') issue('items', `a field of type ${type} has no items: use array`);
  });

const ExtractParams = z.strictObject({
  fields: z
    .record(
      fieldNames.refine((name) => !reserved.has(name), 'this name is reserved: use another name'),
      Field,
    )
    .refine((fields) => Object.keys(fields).length >= 1 && Object.keys(fields).length <= 50, 'expected 1 to 50 fields')
    .optional()
    .describe('Fields by name, like the properties of a JSON Schema. Use either fields or recordType'),
  recordType: TypeName.optional().describe(
    'Record type of the project, such as invoice: finds its fields and stores them as a record of the document',
  ),
  onDoubt: z
    .enum(['mark', 'ask'])
    .default('mark')
    .describe(
      'A record that misses a required field or breaks a rule: mark it as doubtful, or also ask a person and wait for the answer',
    ),
  engine: engineField('local'),
  requireEvidence: z
    .boolean()
    .default(true)
    .describe('true: a value that the text does not contain literally counts as missing'),
  onMissing: z
    .enum(['list', 'fail'])
    .default('list')
    .describe('list: report missing required fields; fail: fail the node'),
  maxTextCharacters: textLimitField,
  model: modelField,
  maxOutputTokens: outputTokensField,
  output: outputField('fields'),
});

const Params = ExtractParams.refine(({ fields, recordType }) => (fields === undefined) !== (recordType === undefined), {
  path: ['fields'],
  message: 'use either fields or recordType',
});
type Params = z.output<typeof Params>;
type Rules = Parameters<typeof extractByModel>[3];

/** Value of the channel by config: the fields, and facts beside them. The fields of an unknown record type can be any. */
function resultSchema({ fields, recordType }: Readonly<Record<string, unknown>>, facts: OutputFacts): z.ZodType {
  if (typeof recordType === 'string') {
    const known = facts.recordType(recordType);
    const shape = { ...besideFields, record: RecordFacts.optional().describe('Absent in experiments') };
    return known === null ? z.looseObject(shape) : z.object({ ...foundShapes(rulesOf(known)), ...shape });
  }
  const isKnown = typeof fields === 'object' && fields !== null && !hasRefs(fields);
  return isKnown ? z.object({ ...foundShapes({ ...fields }), ...besideFields }) : z.looseObject(besideFields);
}

export const extract = defineNode({
  type: 'extract',
  version: 1,
  summary: 'Extract fields from the recognized text, each with its source passage',
  params: Params,
  reads: ['ocr'],
  writes: [],
  channels: (config) => ({ writes: outputOf(config, 'fields') }),
  outputs: (config, facts) =>
    Object.fromEntries(outputOf(config, 'fields').map((channel) => [channel, resultSchema(config, facts)])),
  literals: ['fields', 'recordType'],
  // Storing a record is an effect.
  pure: ({ recordType }) => recordType === undefined,
  dependsOn: (deps, params) => [usesModel(deps.chat, params) ? modelLabelOf(deps.chat, params) : `local/${rules}`],
  defaultTimeoutMs: 180_000,
  example: {
    fields: {
      total: { type: 'money', aliases: ['Total', 'Summe'], required: true },
      date: { type: 'date' },
      merchant: { type: 'string', description: 'Name of the shop' },
    },
  },
  async run(call) {
    const { deps, params, run, state } = call;
    const type = params.recordType === undefined ? null : await recordTypeOf(deps.recordTypes, run, params.recordType);
    if (type !== null && call.answer !== undefined) return answered(call, type);
    const facts = readFacts(state, 'ocr', OcrFacts);
    const ocr = facts && stillThere(await deps.results.ocrById(run.organizationId, facts.ocrResultId));
    const text = ocr?.text ?? '';
    const document = {
      text,
      pages: ocr?.result.pages ?? [],
      shown: text.slice(0, params.maxTextCharacters).toWellFormed(),
    };
    const wanted = type === null ? (params.fields ?? {}) : rulesOf(type.fields);
    const { found, usage, modelLabel } = await findFields(call, document, wanted);
    const taken = Object.fromEntries(
      Object.entries(found).map(([name, field]) => [name, accepted(field, wanted[name], params)]),
    );
    const fields = type === null ? taken : withOnlyCurrency(taken, text);
    const missing = missingOf(fields, wanted);
    if (missing.length > 0 && params.onMissing === 'fail')
      throw new AppError('run.needs_input', `The text does not contain these required fields: ${missing.join(', ')}.`);
    const result = { ...fields, missing, modelLabel, ocrResultId: facts?.ocrResultId ?? null };
    const outcome = { update: { [params.output]: result }, usage, modelLabel };
    if (type === null || run.isolated === true) return outcome;
    const record = await storeFound(call, type, fields, usesModel(deps.chat, params) ? 'model' : 'rules');
    const update = { [params.output]: { ...result, record: recordFacts(record) } };
    const asks = params.onDoubt === 'ask' && record.status === 'doubtful';
    return { ...outcome, update, ...(asks && { wait: questionAbout(record, type) }) };
  },
});

/** The result after an answer: what the confirmed record says. */
async function answered(call: NodeCall<Params>, type: RecordTypeRecord) {
  const record = await storeAnswer(call, type, readAnswer(call.answer));
  const fields = fieldsOf(record.cells, type.fields);
  const facts = { missing: [], modelLabel: 'person', ocrResultId: null, record: recordFacts(record) };
  return { update: { [call.params.output]: { ...fields, ...facts } } };
}

async function findFields(
  { deps, params, signal, computing }: NodeCall<Params>,
  document: Parameters<typeof extractByModel>[2],
  fields: Rules,
) {
  if (usesModel(deps.chat, params)) {
    const options = { ...requestOptions(params), signal };
    const answer = await extractByModel({ chat: deps.chat, computing }, options, document, fields);
    return { ...answer, modelLabel: modelLabelOf(deps.chat, params) };
  }
  const start = performance.now();
  // The shown text is the start of the whole text, so offsets are the same in both.
  const find = localFinder({ text: document.shown, pages: document.pages });
  const found: Record<string, FoundField> = {};
  for (const [name, rule] of Object.entries(fields)) {
    await setImmediate();
    signal.throwIfAborted();
    found[name] = find(name, rule);
  }
  return { found, usage: rulesUsage(start, rules), modelLabel: `local/${rules}` };
}

function accepted(field: FoundField, rule: RequiredRule | undefined, { requireEvidence }: Params): FoundField {
  return requireEvidence && rule !== undefined ? withEvidence(field, rule) : field;
}
