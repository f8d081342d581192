import { keepFields } from '../bson/raw.ts';
import { decode, type Document, encode, fieldsOf, isNumeric, isObject, kindOf } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { isTruthy } from './filter.ts';

type Tree = Map<string, Tree | true>;

export interface Projection {
  include: boolean;
  tree: Tree;
  id: boolean;
}

/** Inclusion or exclusion of (dotted) fields; computed fields, `$slice`, `$elemMatch` and the positional `$` are refused. */
export function parseProjection(spec: Document): Projection | undefined {
  let include: boolean | undefined;
  let id: boolean | undefined;
  const tree: Tree = new Map();
  for (const [path, value] of Object.entries(spec)) {
    const kind = kindOf(value);
    if (!isNumeric(kind) && typeof value !== 'boolean') throw notImplemented(`Projecting '${path}' by an expression`);
    if (path.endsWith('.$') || path.includes('.$.')) throw notImplemented('The positional projection');
    const wanted = isTruthy(value);
    if (path === '_id') {
      id = wanted;
      continue;
    }
    if (include !== undefined && include !== wanted) {
      throw wanted
        ? new MongoFault(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
        : new MongoFault(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    }
    include = wanted;
    addPath(tree, path);
  }
  if (include === undefined && id === undefined) return undefined;
  return { include: include ?? id === true, tree, id: id ?? true };
}

function addPath(tree: Tree, path: string): void {
  const parts = path.split('.');
  const last = parts.pop() as string;
  let at = tree;
  for (const part of parts) {
    if (part === '') throw new MongoFault(40353, 'FieldPath must not contain empty parts');
    const next = at.get(part) ?? new Map<string, Tree | true>();
    if (next === true) throw new MongoFault(31249, `Path collision at ${path}`);
    at.set(part, next);
    at = next;
  }
  if (at.has(last)) throw new MongoFault(31249, `Path collision at ${path}`);
  at.set(last, true);
}

export function projectBytes(bytes: Uint8Array, projection: Projection): Uint8Array {
  const { include, tree, id } = projection;
  for (const inner of tree.values()) if (inner !== true) return encode(projectDocument(decode(bytes), projection));
  return keepFields(bytes, (name) => (name === '_id' ? id : tree.has(name) === include));
}

export function projectDocument(doc: Document, { include, tree, id }: Projection): Document {
  const whole: Tree = new Map(tree);
  if (id === include) whole.set('_id', true);
  return project(doc, whole, include) as Document;
}

function project(value: unknown, tree: Tree, include: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => project(item, tree, include));
    return include ? items.filter((item) => item !== undefined) : items;
  }
  if (!isObject(value)) return include ? undefined : value;
  const out: Document = {};
  for (const [name, inner] of fieldsOf(value)) {
    const branch = tree.get(name);
    let kept: unknown;
    if (branch === undefined) kept = include ? undefined : inner;
    else if (branch === true) kept = include ? inner : undefined;
    else kept = project(inner, branch, include);
    if (kept !== undefined)
      Object.defineProperty(out, name, { value: kept, enumerable: true, writable: true, configurable: true });
  }
  return out;
}
