import { type Document, fieldOf, fieldsOf, EVERY_FIELD, isObject, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { checkVariable, constant, type Expression, fold, type Parse, rowOf, type Scope } from './operator.ts';
import { OPERATORS } from './operators.ts';

export type { Expression, Item, Scope } from './operator.ts';

/** Parses once what runs on many documents; everything that can be refused without a document is refused here. */
export function parseExpression(spec: unknown, scope: Scope = new Map()): Expression {
  const parse: Parse = (inner, locals) => parseExpression(inner, locals ? new Map([...scope, ...locals]) : scope);
  if (typeof spec === 'string' && spec.startsWith('$')) return parsePath(spec, scope);
  if (Array.isArray(spec)) {
    const parts = spec.map((inner) => parse(inner));
    return fold(parts, (item) => parts.map((part) => part(item) ?? null));
  }
  if (!isObject(spec)) return constant(spec);
  const fields = fieldsOf(spec);
  const operator = fields.find(([name]) => name.startsWith('$') && spec['_bsontype'] !== 'DBRef')?.[0];
  if (operator === undefined) return parseObject(fields, parse);
  if (fields.length > 1) {
    throw new CommandError(
      15983,
      `an object representing an expression must have exactly one field, found ${operator}`,
    );
  }
  const make = rowOf(OPERATORS, operator);
  if (!make) throw new CommandError(168, `Unrecognized expression '${operator}'`);
  return make(spec[operator], parse, operator);
}

function parseObject(given: [string, unknown][], parse: Parse): Expression {
  const parts = given.map(([name, inner]) => {
    if (name.includes('.')) throw new CommandError(16412, `FieldPath field names may not contain '.': ${name}`);
    return parse(inner);
  });
  return fold(parts, (item) => {
    const doc: Document = {};
    for (const [at, [name]] of given.entries()) {
      const value = parts[at]?.(item);
      if (value !== undefined) setField(doc, name, value);
    }
    return doc;
  });
}

/** The variables of a `let`, beside those around it. `NOW` is the same throughout a command. */
export function scopeOf(spec: unknown, around: Scope = new Map([['NOW', constant(new Date())]])): Scope {
  if (spec === undefined) return around;
  if (!isObject(spec)) throw new CommandError(14, "BSON field 'let' is the wrong type, expected type 'object'");
  const own = fieldsOf(spec).map(([name, value]) => {
    const part = parseExpression(value, around);
    return [checkVariable(name), constant(part({ doc: {} }))] as const;
  });
  return new Map([...around, ...own]);
}

function parsePath(text: string, scope: Scope): Expression {
  const parts = text.replace(/^\$\$?/, '').split('.');
  checkPath(parts, text);
  if (!text.startsWith('$$')) return (item) => valueAlong(item.doc, parts, 0);
  const variable = parts.shift() as string;
  const source = scope.get(variable) ?? (variable === 'NOW' ? constant(new Date()) : BUILT_IN.get(variable));
  if (!source) throw new CommandError(17276, `Use of undefined variable: ${variable}`);
  return parts.length === 0 ? source : fold([source], (item) => valueAlong(source(item), parts, 0));
}

const WHOLE: Expression = (item) => item.doc;

const BUILT_IN: Scope = new Map([
  ['ROOT', WHOLE],
  ['CURRENT', WHOLE],
  ['REMOVE', constant(undefined)],
]);

export function checkPath(parts: readonly string[], text: string): void {
  if (text === '$' || text === '$$') throw new CommandError(16872, `'${text}' by itself is not a valid FieldPath`);
  if (parts.at(-1) === '') throw new CommandError(40353, "FieldPath must not end with a '.'.");
  if (parts.includes('')) throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
  if (parts.some((part) => part.startsWith('$')))
    throw new CommandError(16410, `FieldPath field names may not start with '$'. Consider using $setField.`);
  if (parts.some((part) => part.includes('\0')))
    throw new CommandError(16411, 'FieldPath field names may not contain null bytes');
}

/** Unlike a filter's path, an expression's maps over arrays and knows no positions. */
function valueAlong(value: unknown, parts: readonly string[], at: number): unknown {
  const part = parts[at];
  if (part === undefined) return value;
  if (Array.isArray(value))
    return value
      .filter(isObject)
      .map((inner) => valueAlong(inner, parts, at))
      .filter((inner) => inner !== undefined);
  return isObject(value) ? valueAlong(fieldOf(value, part), parts, at + 1) : undefined;
}

/** The top-level fields an expression (or a document of them) may read, `EVERY_FIELD` where it could be any. */
export function readsOf(spec: unknown, into = new Set<string>()): Set<string> {
  if (typeof spec === 'string') {
    const [root = ''] = spec.replace('$$CURRENT.', '$').replace('$$ROOT.', '$').split('.');
    if (/^\$\$(?:ROOT|CURRENT)$/.test(root)) into.add(EVERY_FIELD);
    else if (/^\$[^$]/.test(root)) into.add(root.slice(1));
  } else if (Array.isArray(spec)) for (const inner of spec) readsOf(inner, into);
  else if (isObject(spec)) {
    for (const [name, inner] of fieldsOf(spec)) {
      // It takes a field by its bare name.
      if (name === '$setField') into.add(EVERY_FIELD);
      readsOf(inner, into);
    }
  }
  return into;
}
