import { decodeOnly } from '../bson/decode.ts';
import { keepFields } from '../bson/raw.ts';
import { type Document, fieldsOf, isNumeric, isObject, kindOf, setField } from '../bson/value.ts';
import {
  checkPath,
  type Expression,
  type Item,
  parseExpression,
  readsOf,
  type Scope,
} from '../expression/expression.ts';
import { truthy } from '../expression/operator.ts';
import { CommandError } from '../errors.ts';
import { typeName } from '../query/type-names.ts';
import { bytesOf, stageFields, stageObject, storedItem } from './context.ts';

/** A field that is kept, left out or computed, or the fields below it. */
type Node = boolean | Expression | Tree;

interface Tree {
  fields: Map<string, Node>;
  /** True when a field below is computed. Missing parents of computed fields are created. */
  computes: boolean;
}

type Mode = 'include' | 'exclude' | 'add';
type Shape = (item: Item) => Item;

/** The stages that make one document of each, without looking at another. */
export const SHAPES: Readonly<Record<string, (spec: unknown, scope: Scope) => Shape>> = {
  $project: project,
  $addFields: addFields,
  $set: addFields,
  $replaceRoot: (spec, scope) => replaceWith(stageFields('$replaceRoot', spec, 'newRoot')['newRoot'], scope),
  $replaceWith: replaceWith,
};

/** The projection of find and findAndModify, which is that of `$project`; `undefined` when everything stays as it is. */
export function parseProjection(spec: Document, scope: Scope): ((bytes: Uint8Array) => Uint8Array) | undefined {
  if (Object.keys(spec).length === 0) return undefined;
  const shape = project(spec, scope);
  return (bytes) => bytesOf(shape(storedItem(bytes)));
}

function replaceWith(spec: unknown, scope: Scope): Shape {
  const root = parseExpression(spec, scope);
  return (item) => {
    const doc = root(item);
    if (isObject(doc)) return { doc, meta: item.meta };
    throw new CommandError(
      40228,
      `'newRoot' expression must evaluate to an object, but is of type: '${typeName(doc)}'`,
    );
  };
}

function addFields(spec: unknown, scope: Scope): Shape {
  const tree = parseTree(stageObject('$addFields', spec), (value) => parseExpression(value, scope));
  return (item) => ({ doc: shaped(item.doc, tree, item, 'add') as Document, meta: item.meta });
}

function project(spec: unknown, scope: Scope): Shape {
  const given = stageObject('$project', spec);
  if (Object.keys(given).length === 0)
    throw new CommandError(51272, 'Invalid $project: projection specification must have at least one field');
  let mode: Mode | undefined;
  const tree = parseTree(given, (value, path) => {
    if (isObject(value) && Object.keys(value).length === 0)
      throw new CommandError(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
    const isPlain = isNumeric(kindOf(value)) || typeof value === 'boolean';
    const node = isPlain ? truthy(value) : parseExpression(value, scope);
    if (path === '_id' && isPlain) return node;
    const wanted = node === false ? 'exclude' : 'include';
    if (mode !== undefined && mode !== wanted) {
      const [code, what] = mode === 'include' ? [31254, 'exclusion'] : [31253, 'inclusion'];
      throw new CommandError(
        code,
        `Invalid $project: Cannot do ${what} on field ${path} in a projection of the other kind`,
      );
    }
    mode = wanted;
    return node;
  });
  const { fields } = tree;
  const how = mode ?? (fields.get('_id') === false ? 'exclude' : 'include');
  if (how === 'include' ? fields.get('_id') === false : fields.get('_id') === true) fields.delete('_id');
  else if (how === 'include' && !fields.has('_id')) fields.set('_id', true);
  const isFlat = [...fields.values()].every((node) => typeof node === 'boolean');
  const roots = how === 'include' ? readsOf(spec, new Set(fields.keys())) : undefined;
  return (item) => {
    if (isFlat && item.bytes)
      return storedItem(
        keepFields(item.bytes, (name) => fields.has(name) === (how === 'include')),
        item.meta,
      );
    const { bytes, meta } = item;
    const from = bytes && roots ? { doc: decodeOnly(bytes, roots), meta } : item;
    return { doc: shaped(from.doc, tree, from, how) as Document, meta };
  };
}

function parseTree(spec: Document, leaf: (value: unknown, path: string) => Node, above = ''): Tree {
  const tree: Tree = { fields: new Map(), computes: false };
  for (const [name, value] of fieldsOf(spec)) {
    const path = above + name;
    checkPath(name.split('.'), path);
    const [inner] = isObject(value) ? fieldsOf(value) : [];
    const isNested = inner !== undefined && !inner[0].startsWith('$');
    insert(tree, name.split('.'), isNested ? parseTree(value as Document, leaf, `${path}.`) : leaf(value, path), path);
  }
  return tree;
}

function insert(tree: Tree, [name = '', ...rest]: string[], node: Node, path: string): void {
  const held = tree.fields.get(name);
  tree.computes ||= typeof node === 'function' || (typeof node === 'object' && node.computes);
  if (held !== undefined && (typeof held !== 'object' || (rest.length === 0 && typeof node !== 'object')))
    throw new CommandError(31249, `Path collision at ${path}`);
  if (rest.length > 0) {
    const below = held ?? { fields: new Map<string, Node>(), computes: false };
    tree.fields.set(name, below);
    insert(below, rest, node, path);
  } else if (held === undefined) tree.fields.set(name, node);
  else for (const [field, inner] of (node as Tree).fields) insert(held, [field], inner, path);
}

/** Kept fields stay in the document's order, new ones follow in the specification's; arrays are gone through. */
function shaped(value: unknown, tree: Tree, item: Item, mode: Mode): unknown {
  if (Array.isArray(value)) {
    const items = value.map((inner) => shaped(inner, tree, item, mode));
    return mode === 'include' ? items.filter((inner) => inner !== undefined) : items;
  }
  if (!isObject(value) && !tree.computes) return mode === 'include' ? undefined : value;
  const out: Document = {};
  for (const [name, inner] of isObject(value) ? fieldsOf(value) : []) {
    const node = tree.fields.get(name);
    if (node === undefined ? mode !== 'include' : node === true || (typeof node === 'function' && mode === 'add'))
      setField(out, name, inner);
    else if (typeof node === 'object') {
      const kept = shaped(inner, node, item, mode);
      if (kept !== undefined) setField(out, name, kept);
    }
  }
  if (!tree.computes) return out;
  for (const [name, node] of tree.fields) {
    if (typeof node === 'function') {
      const computed = node(item);
      if (computed === undefined) delete out[name];
      else setField(out, name, computed);
    } else if (typeof node === 'object' && node.computes && !Object.hasOwn(out, name))
      setField(out, name, shaped(undefined, node, item, mode));
  }
  return out;
}
