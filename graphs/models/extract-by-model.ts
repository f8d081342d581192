import { own } from '#src/contracts/own.ts';
import {
  absent,
  composed,
  type Evidence,
  type FieldRule,
  type FieldRules,
  type FoundField,
  type ScalarType,
  type SimpleValue,
} from '#src/domain/extract-locally/field.ts';
import { quoteFinder } from '#src/domain/extract-locally/locate-quote.ts';
import { placeText, type PagedText } from '#src/domain/extract-locally/page-text.ts';
import { contradicts } from '#src/domain/extract-locally/typed-value.ts';
import type { ChatModel, ChatRequest } from '#src/domain/ports/chat-model.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';
import type { NodeComputing } from '#graphs/compute/computing.ts';
import { readerOf } from '#graphs/models/read-answer-of.ts';
import { askForJson, schemaRule } from '#graphs/models/ask-for-json.ts';
import { shownDocument, systemMessage } from '#graphs/models/prompt.ts';

/** Confidence by how well the quote matches the text, since models cannot rate their own answers: exactly, apart from case and spaces, or not at all. */
const confidenceOf = { exact: 0.9, alike: 0.75, unfounded: 0.3 } as const;

const text = (most: number) => ({ type: 'string', maxLength: most });
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const quote = { ...orNull(text(500)), description: 'The passage, copied letter by letter from the text' };

const valueSchemas: Readonly<Record<ScalarType, object>> = {
  string: text(500),
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { ...text(10), minLength: 10, description: 'YYYY-MM-DD' },
  money: objectOf({ amount: { type: 'number' }, currency: { ...orNull(text(3)), description: 'ISO 4217' } }),
};
const mostTexts = 20;
const mostRows = 100;

/** Schema of a field with its quotes: those of objects and rows are inside. */
function schemaOf(rule: FieldRule): object {
  const { type, description = '', aliases = [] } = rule;
  const also = aliases.length === 0 ? '' : ` Also called: ${aliases.join(', ')}.`;
  return { ...bareSchemaOf(rule, type), description: `${description}${also}`.trim() };
}

function bareSchemaOf({ fields = {}, items }: FieldRule, type: FieldRule['type']): object {
  if (type === 'object') return objectOf({ value: orNull(schemaOfFields(fields)) });
  if (type !== 'array') return objectOf({ value: orNull(valueSchemas[type]), quote });
  if (items?.type === 'object')
    return objectOf({ value: orNull({ type: 'array', maxItems: mostRows, items: schemaOfFields(items.fields) }) });
  const texts = { type: 'array', maxItems: mostTexts, items: objectOf({ value: text(200), quote }) };
  return objectOf({ value: orNull(texts), quote });
}

const schemaOfFields = (fields: FieldRules) =>
  objectOf(Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, schemaOf(rule)])));

function objectOf(properties: Readonly<Record<string, object>>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** One field of a valid answer. */
interface AnsweredField {
  readonly value:
    | Exclude<SimpleValue, readonly string[]>
    | readonly AnsweredText[]
    | Answered
    | readonly Answered[]
    | null;
  /** Absent for objects and lists of objects. */
  readonly quote?: string | null;
}
interface AnsweredText {
  readonly value: string;
  readonly quote: string | null;
}
type Answered = Readonly<Record<string, AnsweredField>>;

/**
 * Asks a model for values with quotes, and searches the quotes in the text. A value is `verified` if the text contains its quote and the
 * quote contains the value. Errors: those of the model, and `model.output_invalid`.
 */
export async function extractByModel(
  { chat, computing }: { readonly chat: ChatModel; readonly computing: NodeComputing },
  options: Partial<ChatRequest>,
  document: PagedText & { readonly shown: string },
  fields: FieldRules,
): Promise<{ found: Record<string, FoundField>; usage: ModelUsage }> {
  const schema = schemaOfFields(fields);
  const task = `Extract fields from the document. A field that is not in the text has the value null and the quote null.\n${schemaRule(schema)}`;
  const { value, usage } = await askForJson(chat, {
    ...options,
    messages: [
      systemMessage(task),
      { role: 'user', text: `Extract the fields.\n\n${shownDocument(chat, document.shown)}` },
    ],
    temperature: 0,
    schema: { name: 'fields', schema },
    read: readerOf(schema, computing),
  });
  // `readerOf` has validated the shape.
  return { found: readFields(value as Answered, fields, readingOf(document)), usage };
}

/** Finds the quote of a value, at `from` or after it if it can be found there. */
type LookUp = (value: SimpleValue, quote: string | null, from?: number) => Located;
interface Located {
  readonly evidence: Evidence | null;
  readonly sure: number;
}

interface Reading {
  readonly shown: string;
  readonly lookUp: LookUp;
}

function readingOf({ shown, pages }: PagedText & { readonly shown: string }): Reading {
  // The shown text is the start of the whole text, so offsets are the same in both.
  const placed = placeText({ text: shown, pages });
  const find = quoteFinder(shown);
  return {
    shown,
    lookUp(value, passage, from) {
      const span = passage === null ? null : find(passage, from);
      if (span === null || contradicts(shown.slice(span.start, span.end), value))
        return { evidence: null, sure: confidenceOf.unfounded };
      return { evidence: placed.evidenceAt(span), sure: span.exact ? confidenceOf.exact : confidenceOf.alike };
    },
  };
}

function readFields(answered: Answered, fields: FieldRules, reading: Reading): Record<string, FoundField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, rule]) => [name, readTold(own(answered, name), rule, reading)]),
  );
}

function readTold(answered: AnsweredField | undefined, rule: FieldRule, reading: Reading): FoundField {
  if (answered === undefined || answered.value === null) return absent;
  const { lookUp } = reading;
  const { type, fields = {}, items } = rule;
  if (type === 'object') return composed(readFields(answered.value as Answered, fields, reading));
  if (type !== 'array') {
    const value = answered.value as Exclude<SimpleValue, readonly string[]>;
    const { evidence, sure } = lookUp(value, answered.quote ?? null);
    return { value, evidence, confidence: sure, verified: evidence !== null };
  }
  if (items?.type === 'object') return readRows(answered.value as readonly Answered[], items.fields, reading);
  const texts = (answered.value as readonly AnsweredText[]).map(({ value, quote: passage }) => ({
    value,
    ...lookUp(value, passage),
  }));
  return {
    value: texts.map(({ value }) => value),
    evidence: texts.map(({ evidence }) => evidence),
    confidence: texts.length === 0 ? 0 : Math.min(...texts.map(({ sure }) => sure)),
    verified: texts.length > 0 && texts.every(({ evidence }) => evidence !== null),
  };
}

/**
 * Rows in the order of the text. The longest quote of a row is searched after the row before; the short ones, such as the quantity `2`,
 * from the start of its line.
 */
function readRows(rows: readonly Answered[], fields: FieldRules, { lookUp, shown }: Reading): FoundField {
  let after = 0;
  return composed(
    rows.map((row) => {
      const [longest = ''] = Object.values(row)
        .flatMap((cell) => cell.quote ?? [])
        .toSorted((one, other) => other.length - one.length);
      const anchor = lookUp(longest, longest, after).evidence;
      const from = anchor === null ? after : shown.lastIndexOf('\n', anchor.start) + 1;
      if (anchor !== null) after = anchor.end;
      return readFields(row, fields, { shown, lookUp: (value, passage) => lookUp(value, passage, from) });
    }),
  );
}
