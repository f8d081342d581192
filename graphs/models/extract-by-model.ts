import {
  absent,
  type Evidence,
  type FieldRule,
  type FieldValue,
  type FoundField,
} from '#src/domain/extract-locally/field.ts';
import { quoteFinder } from '#src/domain/extract-locally/locate-quote.ts';
import { evidenceAt, placedLines, type PagedText } from '#src/domain/extract-locally/page-text.ts';
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

const valueSchemas: Readonly<Record<FieldRule['type'], object>> = {
  string: text(500),
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { ...text(10), minLength: 10, description: 'YYYY-MM-DD' },
  money: objectOf({ amount: { type: 'number' }, currency: { ...orNull(text(3)), description: 'ISO 4217' } }),
  array: { type: 'array', maxItems: 20, items: objectOf({ value: text(200), quote }) },
};

function objectOf(properties: Readonly<Record<string, object>>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** One field of a valid answer. */
interface AnsweredField {
  readonly value: Exclude<FieldValue, readonly string[]> | readonly { value: string; quote: string | null }[] | null;
  readonly quote: string | null;
}

/**
 * Asks a model for values with quotes, and searches the quotes in the text. A value is `verified` if the text contains its quote and the
 * quote contains the value. Errors: those of the model, and `model.output_invalid`.
 */
export async function extractByModel(
  { chat, computing }: { readonly chat: ChatModel; readonly computing: NodeComputing },
  options: Partial<ChatRequest>,
  document: PagedText & { readonly shown: string },
  fields: Readonly<Record<string, FieldRule>>,
): Promise<{ found: Record<string, FoundField>; usage: ModelUsage }> {
  const schema = objectOf(
    Object.fromEntries(
      Object.entries(fields).map(([name, { type, description = '', aliases = [] }]) => {
        const also = aliases.length === 0 ? '' : ` Also called: ${aliases.join(', ')}.`;
        return [
          name,
          { ...objectOf({ value: orNull(valueSchemas[type]), quote }), description: `${description}${also}`.trim() },
        ];
      }),
    ),
  );
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
  const answered = value as Readonly<Record<string, AnsweredField>>;
  const lookUp = finderIn(document);
  const found = Object.keys(fields).map((name) => [name, readTold(answered[name], lookUp)] as const);
  return { found: Object.fromEntries(found), usage };
}

type LookUp = (value: FieldValue, quote: string | null) => { evidence: Evidence | null; sure: number };

function finderIn(document: PagedText): LookUp {
  const lines = placedLines(document);
  const find = quoteFinder(document.text);
  return (value, passage) => {
    const span = passage === null ? null : find(passage);
    if (span === null || contradicts(document.text.slice(span.start, span.end), value))
      return { evidence: null, sure: confidenceOf.unfounded };
    return { evidence: evidenceAt(document, lines, span), sure: span.exact ? confidenceOf.exact : confidenceOf.alike };
  };
}

function readTold(answered: AnsweredField | undefined, lookUp: LookUp): FoundField {
  if (answered === undefined || answered.value === null) return absent;
  if (typeof answered.value === 'object' && !('amount' in answered.value)) {
    const items = answered.value.map(({ value, quote: passage }) => ({ value, ...lookUp(value, passage) }));
    const confidence = items.length === 0 ? 0 : Math.min(...items.map(({ sure }) => sure));
    const verified = items.length > 0 && items.every(({ evidence }) => evidence !== null);
    return {
      value: items.map(({ value }) => value),
      evidence: items.map(({ evidence }) => evidence),
      confidence,
      verified,
    };
  }
  const { evidence, sure } = lookUp(answered.value, answered.quote);
  return { value: answered.value, evidence, confidence: sure, verified: evidence !== null };
}
