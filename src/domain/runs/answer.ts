import { canonicalJson } from '#src/domain/canonical-json.ts';

type Schema = Readonly<Record<string, unknown>>;

const maxBytes = 16 * 1024;
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const bounds = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems']);
const notes = new Set(['title', 'description', 'default', 'examples', '$schema']);

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const typesOf = ({ type }: Schema): unknown[] => (type === undefined ? [] : [type].flat());

/** Canonical texts of the options of each list, made once for an answer: the same list can apply to thousands of its values. */
type OptionTexts = Map<readonly unknown[], ReadonlySet<string>>;

function hasOption(options: readonly unknown[], value: unknown, texts: OptionTexts): boolean {
  const known = texts.get(options) ?? new Set(options.map((option) => canonicalJson(option)));
  texts.set(options, known);
  return known.has(canonicalJson(value));
}

function keywordProblem(name: string, value: unknown): string | null {
  if (notes.has(name) || name === 'const') return null;
  if (bounds.has(name)) return typeof value === 'number' ? null : `"${name}" must be a number`;
  if (name === 'enum') return Array.isArray(value) && value.length > 0 ? null : '"enum" must be a list of values';
  if (name === 'required')
    return Array.isArray(value) && value.every((one) => typeof one === 'string')
      ? null
      : '"required" must be a list of names';
  if (name === 'additionalProperties')
    return typeof value === 'boolean' ? null : '"additionalProperties" must be true or false';
  if (name === 'type')
    return [value].flat().every((one) => types.includes(String(one))) ? null : `"type" must be of ${types.join(', ')}`;
  if (name === 'items') return partProblem(value);
  if (name !== 'properties') return `keyword "${name}" is not supported`;
  if (!isObject(value)) return '"properties" must be an object';
  return (
    Object.values(value)
      .map(partProblem)
      .find((problem) => problem !== null) ?? null
  );
}

/**
 * Reason why a schema cannot be used for answers, or null. Supports a part of JSON Schema: type, enum, const, properties, required,
 * additionalProperties (true or false), items, and the bounds of lengths, numbers and lists.
 */
export function answerSchemaProblem(schema: unknown): string | null {
  const text = JSON.stringify(schema);
  if (text !== undefined && Buffer.byteLength(text) > maxBytes)
    return `the schema is larger than ${maxBytes / 1_024} KiB; ask for less in one answer`;
  return partProblem(schema);
}

function partProblem(schema: unknown): string | null {
  if (!isObject(schema)) return 'a schema must be an object';
  for (const [name, value] of Object.entries(schema)) {
    const problem = keywordProblem(name, value);
    if (problem !== null) return problem;
  }
  return null;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function sizeProblem(value: unknown, schema: Schema, at: string): string | null {
  // JSON Schema counts characters, not UTF-16 units.
  const size = typeof value === 'string' ? Array.from(value).length : Array.isArray(value) ? value.length : value;
  if (typeof size !== 'number') return null;
  const kind = typeof value === 'string' ? 'Length' : Array.isArray(value) ? 'Items' : 'imum';
  const [least, most] = [schema[`min${kind}`], schema[`max${kind}`]];
  const what = { Length: ' characters', Items: ' items', imum: '' }[kind];
  if (typeof least === 'number' && size < least) return `${at} must be at least ${least}${what}`;
  if (typeof most === 'number' && size > most) return `${at} must be at most ${most}${what}`;
  return null;
}

interface Place {
  readonly at: string;
  readonly texts: OptionTexts;
}

function objectProblem(value: Schema, schema: Schema, { at, texts }: Place): string | null {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  for (const name of Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
    if (!Object.hasOwn(value, name)) return `${at} must have "${name}"`;
  for (const [name, member] of Object.entries(value)) {
    const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (of === undefined && schema['additionalProperties'] === false)
      return `${at} has "${name}", which is not among ${Object.keys(properties).join(', ') || 'its members'}`;
    const problem = isObject(of) ? valueProblem(member, of, { at: `${at}.${name}`, texts }) : null;
    if (problem !== null) return problem;
  }
  return null;
}

function valueProblem(value: unknown, schema: Schema, place: Place): string | null {
  const { at, texts } = place;
  const allowed = typesOf(schema);
  if (allowed.length > 0 && !allowed.some((type) => isOfType(value, type)))
    return `${at} must be of type ${allowed.join(' or ')}`;
  const options = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(options) && !hasOption(options, value, texts))
    return `${at} must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}`;
  const size = sizeProblem(value, schema, at);
  if (size !== null) return size;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isObject(items)) return null;
    for (const [index, item] of value.entries()) {
      const problem = valueProblem(item, items, { at: `${at}[${index}]`, texts });
      if (problem !== null) return problem;
    }
    return null;
  }
  return isObject(value) ? objectProblem(value, schema, place) : null;
}

/** Reason why an answer does not fit its question, for the caller; null if it fits. Answers have at most 16 KiB of JSON. */
export function answerProblem(question: { readonly answerSchema?: Schema | null }, answer: unknown): string | null {
  let text: string;
  try {
    text = canonicalJson(answer);
  } catch (error) {
    return `answer is not plain JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (Buffer.byteLength(text) > maxBytes) return `answer is larger than ${maxBytes / 1_024} KiB of JSON`;
  return question.answerSchema ? valueProblem(answer, question.answerSchema, { at: 'answer', texts: new Map() }) : null;
}
