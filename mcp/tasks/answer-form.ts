import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { plainText } from '#mcp/present/neutralize.ts';

type RequestedSchema = ElicitRequestFormParams['requestedSchema'];
type Property = RequestedSchema['properties'][string];
type Schema = Readonly<Record<string, unknown>>;

interface Field {
  readonly property: Property;
  /** Converts the form's value to the schema's. */
  readonly read: (given: unknown) => unknown;
}

/** A form for an answer, and the function that reads the answer from it. */
export interface AnswerForm {
  readonly requestedSchema: RequestedSchema;
  read(content: Readonly<Record<string, unknown>>): unknown;
}

const bounds = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const;
const numeric: ReadonlySet<unknown> = new Set(['number', 'integer']);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areStrings = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string');
const asIs = (given: unknown): unknown => given;

function notes(schema: Schema): { title?: string; description?: string } {
  const { title, description } = schema;
  return {
    ...(typeof title === 'string' && { title: plainText(title, 200) }),
    ...(typeof description === 'string' && { description: plainText(description, 1_000) }),
  };
}

function limitsOf(schema: Schema, names: readonly (typeof bounds)[number][]): Record<string, number> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof schema[name] === 'number' ? [[name, schema[name]] as const] : [])),
  );
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given) as unknown;
  } catch (error) {
    // Invalid JSON is taken as plain text.
    if (error instanceof SyntaxError) return given;
    throw error;
  }
}

function choice(options: readonly unknown[], schema: Schema): Field {
  if (areStrings(options)) return { property: { type: 'string', enum: [...options], ...notes(schema) }, read: asIs };
  const words = options.map((option) => JSON.stringify(option));
  return { property: { type: 'string', enum: words, ...notes(schema) }, read: parsed };
}

function several({ items, ...schema }: Schema): Field | null {
  const options = isSchema(items) ? items['enum'] : undefined;
  if (!Array.isArray(options) || !areStrings(options)) return null;
  const list = { type: 'string' as const, enum: options.map(String) };
  const property: Property = {
    type: 'array',
    items: list,
    ...limitsOf(schema, ['minItems', 'maxItems']),
    ...notes(schema),
  };
  return { property, read: asIs };
}

/** Converts a schema to a form field; null if forms have none for it. */
function fieldOf(schema: Schema): Field | null {
  const { type } = schema;
  const options = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(options)) return choice(options, schema);
  if (type === 'boolean') return { property: { type, ...notes(schema) }, read: asIs };
  if (type === 'string')
    return { property: { type, ...limitsOf(schema, ['minLength', 'maxLength']), ...notes(schema) }, read: asIs };
  if (numeric.has(type)) {
    const property = { type: type as 'number', ...limitsOf(schema, ['minimum', 'maximum']), ...notes(schema) };
    return { property, read: asIs };
  }
  return type === 'array' ? several(schema) : null;
}

/** Returns the fields of a flat object; null for other schemas, and for members that no field can hold. */
function fieldsOf({ type, properties }: Schema): ReadonlyMap<string, Field> | null {
  if (type !== 'object' || !isSchema(properties) || Object.keys(properties).length === 0) return null;
  const fields = new Map<string, Field>();
  for (const [name, schema] of Object.entries(properties)) {
    const field = isSchema(schema) ? fieldOf(schema) : null;
    if (field === null) return null;
    fields.set(name, field);
  }
  return fields;
}

function objectForm(fields: ReadonlyMap<string, Field>, required: unknown): AnswerForm {
  const named = Array.isArray(required) ? required.filter((name) => fields.has(name as string)) : [];
  return {
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries([...fields].map(([name, { property }]) => [name, property])),
      ...(named.length > 0 && { required: named as string[] }),
    },
    read: (content) =>
      Object.fromEntries(
        Object.entries(content).map(([name, given]) => [name, (fields.get(name)?.read ?? asIs)(given)]),
      ),
  };
}

function singleForm({ property, read }: Field): AnswerForm {
  return {
    requestedSchema: { type: 'object', properties: { answer: property }, required: ['answer'] },
    read: (content) => read(content['answer']),
  };
}

/**
 * Converts a question's `answerSchema` to a form. Clients can show flat fields only: a flat object becomes its fields, a single value becomes
 * the field `answer`, and anything else is requested as JSON text. `resume_run` validates the answer. Source: MCP 2026-07-28,
 * `elicitation/create`; `domain/runs/answer.ts` for the schemas.
 */
export function answerForm(answerSchema: Schema | null): AnswerForm {
  const schema = answerSchema ?? {};
  const fields = fieldsOf(schema);
  if (fields !== null) return objectForm(fields, schema['required']);
  const field = fieldOf(schema);
  if (field !== null) return singleForm(field);
  const free = !('type' in schema);
  const description = free ? 'Any answer.' : plainText(`JSON that fits this schema: ${JSON.stringify(schema)}`, 2_000);
  return singleForm({ property: { type: 'string', description }, read: free ? asIs : parsed });
}
