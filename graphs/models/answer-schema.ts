import { Ajv } from 'ajv';
import { InkgraphError } from '#src/domain/app-error.ts';

/**
 * Limits of a JSON Schema of a workflow author. `parts` counts the schemas in it with every reference replaced by its target: each of
 * them can be applied to each value of an answer. Source: docs/decisions/0067.
 */
const limits = { bytes: 16 * 1024, depth: 12, parts: 500 } as const;

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

// Holds the schema of schemas only, which it compiles at the first use.
const dialect = new Ajv({ strict: false, validateFormats: false, logger: false });

/**
 * Reasons why a schema cannot be used for an answer, one sentence each; empty if it can. Takes time in proportion to the schema, since
 * it does not compile it.
 */
export function schemaProblems(schema: Readonly<Record<string, unknown>>): string[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.bytes)
    return [`the schema is larger than ${limits.bytes / 1024} KiB`];
  const problems: string[] = [];
  if (schema['type'] !== 'object') problems.push('the schema must say "type": "object" at its root');
  const places = new Map<string, Place>();
  walk(schema, '', { depth: 1, problems, places });
  if (problems.length > 0) return problems.slice(0, 5);
  if (dialect.validateSchema(schema) !== true) {
    const [first] = dialect.errors ?? [];
    return [
      `this is no JSON Schema: ${first?.instancePath ?? ''} ${first?.message ?? 'it does not fit'}`.slice(0, 250),
    ];
  }
  return unfoldingProblems(places);
}

/** A schema inside the schema, by its JSON Pointer. */
interface Place {
  readonly inside: readonly string[];
  readonly refersTo: string | null;
}

/** Follows every reference. Each place is counted once, so this takes time in proportion to the schema, not to its unfolded size. */
function unfoldingProblems(places: ReadonlyMap<string, Place>): string[] {
  const counted = new Map<string, number>();
  const open = new Set<string>();
  const count = (at: string): number => {
    const known = counted.get(at);
    if (known !== undefined) return known;
    const place = places.get(at);
    if (place === undefined) return 1;
    open.add(at);
    let parts = 1;
    for (const inner of place.inside) parts += count(inner);
    if (place.refersTo !== null) {
      const problem = referenceProblem(at, place.refersTo, { places, open });
      if (problem !== null) throw new SchemaReferenceError(problem);
      parts += count(place.refersTo);
    }
    open.delete(at);
    counted.set(at, parts);
    return parts;
  };
  try {
    const parts = count('');
    if (parts <= limits.parts) return [];
    const many = parts > 1_000_000 ? 'more than a million' : String(parts);
    return [
      `with its references followed, the schema has ${many} parts, at most ${limits.parts} are allowed; refer to a part less often, or ask for less in one answer`,
    ];
  } catch (error) {
    if (error instanceof SchemaReferenceError) return [error.message];
    throw error;
  }
}

class SchemaReferenceError extends InkgraphError {}

function referenceProblem(
  at: string,
  target: string,
  { places, open }: { places: ReadonlyMap<string, Place>; open: ReadonlySet<string> },
): string | null {
  if (!places.has(target)) return `this is no JSON Schema: ${at}/$ref leads to "#${target}", where no schema is`;
  if (!open.has(target)) return null;
  return `${at}/$ref leads back to "#${target}", which contains it; write out the levels that you need`;
}

interface Walk {
  readonly depth: number;
  readonly problems: string[];
  readonly places: Map<string, Place>;
}

function walk(schema: unknown, path: string, { depth, problems, places }: Walk): void {
  if (typeof schema === 'boolean' && path !== '') {
    places.set(path, { inside: [], refersTo: null });
    return;
  }
  if (!isRecord(schema)) {
    problems.push(`${path || '/'} is no schema`);
    return;
  }
  if (depth > limits.depth) {
    problems.push(`${path} is nested deeper than ${limits.depth} levels`);
    return;
  }
  const below = { depth: depth + 1, problems, places };
  const inside: string[] = [];
  const enter = (part: unknown, at: string, counts = true): void => {
    if (counts) inside.push(at);
    walk(part, at, below);
  };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}/${keyword}`;
    if (nested.has(keyword)) enter(value, at);
    else if (lists.has(keyword) && Array.isArray(value)) value.forEach((part, index) => enter(part, `${at}/${index}`));
    else if (named.has(keyword) && isRecord(value))
      for (const [name, part] of Object.entries(value)) enter(part, `${at}/${escaped(name)}`, keyword === 'properties');
    else if (!plain.has(keyword) || !isLocal(keyword, value)) problems.push(refusal(keyword, at));
  }
  places.set(path, { inside, refersTo: targetOf(schema['$ref']) });
}

/** JSON Pointer of a reference into the same schema. Source: RFC 6901 §6. */
function targetOf(reference: unknown): string | null {
  if (typeof reference !== 'string') return null;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    // Not percent-encoded text: no place has this name.
    return reference;
  }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
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
