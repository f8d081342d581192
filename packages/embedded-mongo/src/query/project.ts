import { decode, decodeAround } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { keepFields } from '../bson/raw.ts';
import { type Document, fieldOf, fieldsOf, isNumeric, isObject, kindOf, numeric, setField } from '../bson/value.ts';
import { checkPath, type Expression, parseExpression, type Scope } from '../expression/expression.ts';
import { MongoFault } from '../fault.ts';
import { insert, type Node, shaped, type Tree } from '../pipeline/shape.ts';
import { type Filter, isTruthy, parseCondition, rootsOf } from './filter.ts';
import type { Parts } from './path.ts';
import { elementPasses, positionOf } from './position.ts';

/** Changes the array at (or first on) the path before the fields are chosen. */
interface Cut {
  parts: Parts;
  cut: (array: unknown[], doc: Document) => unknown[];
  /** Whether arrays on the way are gone through, to what lies in their elements. */
  through: boolean;
}

export interface Projection {
  include: boolean;
  tree: Tree;
  cuts: readonly Cut[];
  positional: boolean;
}

/** A projection of find and findAndModify; `undefined` when everything stays as it is. */
export function parseProjection(spec: Document, filter?: Filter, scope?: Scope): Projection | undefined {
  const parser = new Parser(filter, scope);
  parser.fields(spec, '');
  return parser.finish();
}

class Parser {
  readonly #filter: Filter | undefined;
  readonly #scope: Scope | undefined;
  readonly #tree: Tree = { fields: new Map(), computes: false };
  readonly #cuts: Cut[] = [];
  readonly #seen = new Set<'$slice' | '$elemMatch' | '$' | '_id' | 'whole _id'>();
  #include: boolean | undefined;

  constructor(filter: Filter | undefined, scope: Scope | undefined) {
    this.#filter = filter;
    this.#scope = scope;
  }

  fields(spec: Document, prefix: string): void {
    for (const [name, value] of fieldsOf(spec)) this.#field(prefix + name, value);
  }

  #field(path: string, value: unknown): void {
    if (path === '_id' || path.startsWith('_id.')) this.#seen.add('_id');
    const positional = /(?:^|\.)\$(?:\.|$)/.test(path);
    if (isObject(value)) {
      if (positional)
        throw new MongoFault(31271, 'positional projection cannot be used with an expression or sub object');
      return this.#object(path, value);
    }
    if (isNumeric(kindOf(value)) || typeof value === 'boolean') {
      if (!isTruthy(value)) return this.#drop(path, positional);
      return positional ? this.#positional(path) : this.#keep(path);
    }
    if (positional) throw new MongoFault(31308, 'positional projection cannot be used with a literal');
    if (this.#include === false)
      throw new MongoFault(31310, `Cannot use an expression for ${path} in an exclusion projection`);
    this.#compute(path, value);
  }

  #keep(path: string): void {
    this.#add(path, true);
    if (path === '_id') this.#seen.add('whole _id');
    else this.#decide(path, true);
  }

  #drop(path: string, positional: boolean): void {
    if (positional) throw new MongoFault(31395, 'positional projection cannot be used with exclusion');
    this.#add(path, false);
    if (path !== '_id') this.#decide(path, false);
  }

  #decide(path: string, include: boolean): void {
    if (this.#include === !include) {
      throw include
        ? new MongoFault(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
        : new MongoFault(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    }
    this.#include = include;
  }

  #positional(path: string): void {
    const filter = this.#filter;
    if (!path.endsWith('.$') || path.indexOf('.$') < path.length - 2)
      throw new MongoFault(31394, `Positional projection may only be used once and at the end: ${path}`);
    if (this.#seen.has('$'))
      throw new MongoFault(31276, 'Cannot specify more than one positional projection per query.');
    if (this.#seen.has('$elemMatch')) throw new MongoFault(31256, 'Cannot specify positional operator and $elemMatch.');
    if (!filter) throw new MongoFault(51050, 'Projections with a positional operator require a matcher');
    const parts = path.slice(0, -2).split('.');
    if (!rootsOf(filter).has(parts[0] as string))
      throw new MongoFault(31277, `Positional projection '${path}' does not match the query document.`);
    this.#seen.add('$');
    this.#keep(parts.join('.'));
    const cut: Cut['cut'] = (array, doc) => {
      const index = positionOf(filter, doc, parts);
      if (index === undefined) return array;
      if (index >= array.length) throw new MongoFault(51247, "positional operator '.$' element mismatch");
      return [array[index]];
    };
    this.#cuts.push({ parts, cut, through: false });
  }

  #object(path: string, spec: Document): void {
    const entries = fieldsOf(spec);
    const [[operator, operand] = ['', undefined]] = entries;
    if (entries.length === 0)
      throw new MongoFault(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
    if (entries.length > 1 || !operator.startsWith('$')) return this.fields(spec, `${path}.`);
    const cut = operator === '$slice' ? sliceOf(operand) : undefined;
    if (cut) {
      this.#seen.add('$slice');
      this.#cuts.push({ parts: path.split('.'), cut, through: true });
      return this.#add(path, true);
    }
    if (operator === '$elemMatch') return this.#elemMatch(path, spec, operand);
    const isMeta = operator === '$meta';
    if (this.#include === false && !isMeta)
      throw new MongoFault(31252, 'Cannot use expression other than $meta in exclusion projection');
    this.#compute(path, spec, isMeta);
  }

  #elemMatch(path: string, spec: Document, operand: unknown): void {
    if (!isObject(operand)) throw new MongoFault(31274, 'elemMatch: Invalid argument, object required');
    if (this.#seen.has('$')) throw new MongoFault(31255, 'Cannot specify positional operator and $elemMatch.');
    if (path.includes('.')) throw new MongoFault(31275, 'Cannot use $elemMatch projection on a nested field.');
    const predicates = parseCondition(spec);
    const value: Expression = ({ doc }) => {
      const array = fieldOf(doc, path);
      const at = Array.isArray(array)
        ? array.findIndex((item) => predicates.every((one) => elementPasses(item, [], one)))
        : -1;
      return at < 0 ? undefined : [(array as unknown[])[at]];
    };
    this.#seen.add('$elemMatch');
    this.#add(path, value);
  }

  #compute(path: string, spec: unknown, isMeta = false): void {
    if (!isMeta) this.#include = true;
    try {
      this.#add(path, parseExpression(spec, this.#scope));
    } catch (error) {
      const operator = isObject(spec) ? (fieldsOf(spec)[0]?.[0] ?? '') : '';
      const unknown = error instanceof MongoFault && error.code === 168 && error.message.includes(`'${operator}'`);
      throw unknown ? new MongoFault(31325, `Unknown expression ${operator}`) : error;
    }
  }

  #add(path: string, node: Node): void {
    if (path === '') throw new MongoFault(40352, 'FieldPath cannot be constructed with empty string');
    const parts = path.split('.');
    checkPath(parts, path);
    insert(this.#tree, parts, node, path);
  }

  finish(): Projection | undefined {
    const seen = this.#seen;
    const { fields } = this.#tree;
    const include = this.#include ?? ((!seen.has('$slice') && seen.has('$elemMatch')) || seen.has('whole _id'));
    if (include && !seen.has('_id')) fields.set('_id', true);
    // In an exclusion what is kept, as the whole of a slice is, needs no saying.
    if (include === (fields.get('_id') === false) && typeof fields.get('_id') === 'boolean') fields.delete('_id');
    if (fields.size === 0 && !include) return undefined;
    return { include, tree: this.#tree, cuts: this.#cuts, positional: seen.has('$') };
  }
}

/** `undefined` for what is no `$slice` of find: it may be the expression of that name. */
function sliceOf(operand: unknown): Cut['cut'] | undefined {
  if (isNumeric(kindOf(operand))) {
    const limit = int32(operand);
    return (array) => (limit < 0 ? array.slice(limit) : array.slice(0, limit));
  }
  if (!Array.isArray(operand) || operand.length !== 2 || !operand.every((item) => isNumeric(kindOf(item))))
    return undefined;
  const [skip = 0, limit = 0] = operand.map(int32);
  if (limit <= 0) throw new MongoFault(31259, `$slice limit must be positive, got ${limit}`);
  return (array) => {
    const start = skip < 0 ? Math.max(0, array.length + skip) : skip;
    return array.slice(start, start + limit);
  };
}

function int32(value: unknown): number {
  return Math.max(-0x80000000, Math.min(0x7fffffff, Math.trunc(Number(numeric(value))))) || 0;
}

/** Fields that are kept or dropped whole are never parsed. */
export function projectBytes(bytes: Uint8Array, { include, tree, cuts, positional }: Projection): Uint8Array {
  const inner = [...tree.fields].filter(([, node]) => typeof node !== 'boolean').map(([name]) => name);
  if (inner.length + cuts.length === 0) return keepFields(bytes, (name) => tree.fields.has(name) === include);
  const whole = tree.computes || positional;
  const roots = new Set([...inner, ...cuts.map(({ parts }) => parts[0] as string)]);
  const doc = whole ? decode(bytes) : decodeAround(bytes, roots);
  const shown = cuts.reduce<unknown>((value, one) => cutAt(value, one.parts, one, doc), doc);
  return encode(shaped(shown, tree, { doc }, include ? 'include' : 'exclude') as Document);
}

function cutAt(value: unknown, parts: Parts, by: Cut, doc: Document): unknown {
  const [name, ...rest] = parts;
  if (Array.isArray(value)) {
    if (name === undefined || !by.through) return by.cut(value, doc);
    return value.map((item) => cutAt(item, parts, by, doc));
  }
  const inner = isObject(value) && name !== undefined ? fieldOf(value, name) : undefined;
  if (inner === undefined) return value;
  const copy = { ...(value as Document) };
  setField(copy, name as string, cutAt(inner, rest, by, doc));
  return copy;
}
