import { Ajv, type ErrorObject } from 'ajv';
import { canonicalJson } from '#src/domain/canonical-json.ts';

/** Errors of an answer that a model is told, one line each. */
const named = 10;

/**
 * Reasons why a value does not fit a schema without `schemaProblems`, the first ten; empty if it fits. Compiling a schema and applying it
 * can take long, so this runs in a compute thread: see `Computing`.
 */
export function answerProblems(schema: Readonly<Record<string, unknown>>, value: unknown): string[] {
  // A new instance for each schema, since an instance never forgets a schema. `schemaProblems` has checked the schema itself.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false, validateSchema: false });
  // The library compares every item with every other one.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: readonly unknown[]) =>
      !unique || new Set(items.map((item) => canonicalJson(item))).size === items.length,
    error: { message: 'must NOT have duplicate items' },
  });
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []).slice(0, named).map(worded);
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
