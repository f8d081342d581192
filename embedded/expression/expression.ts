import { Double } from 'bson';
import { type Document, fieldOf, fieldsOf, isObject, kindOf, Kind } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { setAt } from '../update/place.ts';

/** A document on its way through a pipeline, parsed when a stage first looks into it. */
export interface Item {
  readonly doc: Document;
  readonly score: number | undefined;
}

export type Expression = (item: Item) => unknown;

/** Field paths, literals, documents and arrays of them, and `{ $meta: 'searchScore' }`; any other operator is refused. */
export function parseExpression(spec: unknown): Expression {
  if (typeof spec === 'string' && spec.startsWith('$')) return parseFieldPath(spec);
  if (Array.isArray(spec)) {
    const items = spec.map(parseExpression);
    return (item) => items.map((one) => one(item) ?? null);
  }
  if (!isObject(spec)) return () => spec;
  const [operator] = Object.keys(spec);
  if (operator?.startsWith('$')) return parseOperator(operator, spec);
  const fields = fieldsOf(spec).map(([name, inner]) => [name, parseExpression(inner)] as const);
  return (item) => {
    const doc: Document = {};
    for (const [name, one] of fields) {
      const value = one(item);
      if (value !== undefined) setAt(doc, [name], value);
    }
    return doc;
  };
}

function isSearchScore(spec: unknown): boolean {
  return isObject(spec) && Object.keys(spec).length === 1 && spec['$meta'] === 'searchScore';
}

function parseOperator(operator: string, spec: Document): Expression {
  if (operator === '$literal') return () => spec['$literal'];
  if (isSearchScore(spec)) {
    return (item) => {
      if (item.score === undefined)
        throw new MongoFault(40218, 'query requires search score metadata, but it is not available');
      return new Double(item.score);
    };
  }
  throw new MongoFault(168, `Unrecognized expression '${operator}'`);
}

function parseFieldPath(text: string): Expression {
  if (text.startsWith('$$')) {
    if (text === '$$ROOT' || text === '$$CURRENT') return (item) => item.doc;
    if (text === '$$NOW') return () => new Date();
    throw new MongoFault(17276, `Use of undefined variable: ${text.slice(2)}`);
  }
  const parts = text.slice(1).split('.');
  if (parts.includes('')) throw new MongoFault(40353, 'FieldPath must not contain empty parts');
  return (item) => pathValue(item.doc, parts, 0);
}

/** Unlike a filter's path, an expression's maps over arrays and knows no positions. */
function pathValue(value: unknown, parts: readonly string[], at: number): unknown {
  const part = parts[at];
  if (part === undefined) return value;
  if (Array.isArray(value))
    return value.map((inner) => pathValue(inner, parts, at)).filter((inner) => inner !== undefined);
  return isObject(value) && kindOf(value) === Kind.object ? pathValue(fieldOf(value, part), parts, at + 1) : undefined;
}
