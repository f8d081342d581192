import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** Limits of a JSON Schema of a workflow author. */
const limits = { bytes: 16 * 1024, depth: 12 } as const;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const nested = new Set(['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else']);
const lists = new Set(['anyOf', 'oneOf', 'allOf']);
const named = new Set(['properties', '$defs', 'definitions']);
/** Excludes `pattern` and `patternProperties`: a slow regular expression could block the process. */
const plain = new Set(
  (
    'type required enum const title description default examples format nullable minimum maximum exclusiveMinimum ' +
    'exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties $ref $comment'
  ).split(' '),
);

/** Reasons why a schema cannot be used for an answer, one sentence each; empty if it can. */
export function schemaProblems(schema: Readonly<Record<string, unknown>>): string[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.bytes)
    return [`the schema is larger than ${limits.bytes / 1024} KiB`];
  const problems: string[] = [];
  if (schema['type'] !== 'object') problems.push('the schema must say "type": "object" at its root');
  walk(schema, '', { depth: 1, problems });
  if (problems.length > 0) return problems.slice(0, 5);
  try {
    compiled(schema);
    return [];
  } catch (error) {
    return [`this is no JSON Schema: ${error instanceof Error ? error.message.slice(0, 200) : 'it does not compile'}`];
  }
}

/** Validates an answer against a schema without `schemaProblems`: returns the value, or the first ten errors, one line each. */
export function readerOf(
  schema: Readonly<Record<string, unknown>>,
): (
  value: unknown,
) => { readonly value: Readonly<Record<string, unknown>> } | { readonly problems: readonly string[] } {
  const validate = compiled(schema);
  return (value) => (validate(value) ? { value } : { problems: (validate.errors ?? []).slice(0, 10).map(worded) });
}

/** Uses a new instance for each schema, since an instance never forgets a schema. */
function compiled(schema: Readonly<Record<string, unknown>>): ValidateFunction<Readonly<Record<string, unknown>>> {
  return new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false }).compile<
    Readonly<Record<string, unknown>>
  >(schema);
}

function worded({ instancePath, message, keyword, params }: ErrorObject): string {
  const allowed: unknown = keyword === 'enum' ? Reflect.get(params, 'allowedValues') : undefined;
  const choices = Array.isArray(allowed) ? `: ${allowed.map((value) => JSON.stringify(value)).join(', ')}` : '';
  const extra: unknown = Reflect.get(params, 'additionalProperty');
  const which = typeof extra === 'string' ? ` (${JSON.stringify(extra)})` : '';
  return `${instancePath === '' ? 'the answer' : instancePath} ${message ?? 'does not fit'}${choices}${which}`.slice(
    0,
    300,
  );
}

interface Walk {
  readonly depth: number;
  readonly problems: string[];
}

function walk(schema: unknown, path: string, { depth, problems }: Walk): void {
  if (typeof schema === 'boolean' && path !== '') return;
  if (!isRecord(schema)) {
    problems.push(`${path || '/'} is no schema`);
    return;
  }
  if (depth > limits.depth) {
    problems.push(`${path} is nested deeper than ${limits.depth} levels`);
    return;
  }
  const below = { depth: depth + 1, problems };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}/${keyword}`;
    if (nested.has(keyword)) walk(value, at, below);
    else if (lists.has(keyword) && Array.isArray(value))
      value.forEach((part, index) => walk(part, `${at}/${index}`, below));
    else if (named.has(keyword) && isRecord(value))
      for (const [name, part] of Object.entries(value)) walk(part, `${at}/${name}`, below);
    else if (!plain.has(keyword) || !isLocal(keyword, value)) problems.push(refusal(keyword, at));
  }
}

/** True if a reference points into the same schema. */
function isLocal(keyword: string, value: unknown): boolean {
  return keyword !== '$ref' || (typeof value === 'string' && /^#(?:\/|$)/.test(value));
}

function refusal(keyword: string, at: string): string {
  if (keyword === '$ref') return `${at} must point into this schema, as "#/$defs/name" does`;
  const instead = keyword.startsWith('pattern')
    ? '; use enum, const or lengths, and say the form in a description'
    : '';
  return `${at}: the keyword "${keyword}" is not allowed${instead}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
