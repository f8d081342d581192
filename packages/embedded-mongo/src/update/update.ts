import { decode, decodeAround, decodeOnly } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { elements, storedForm } from '../bson/raw.ts';
import { type Document, fieldsOf, isObject, namesOf, setField } from '../bson/value.ts';
import type { Item, Scope } from '../expression/expression.ts';
import { constant } from '../expression/operator.ts';
import { CommandError } from '../errors.ts';
import { stageEntry } from '../pipeline/context.ts';
import { SHAPES } from '../pipeline/shape.ts';
import { type Compare, equal } from '../query/compare.ts';
import { type Filter, parseFilter, rootsOf } from '../query/filter.ts';
import { isArrayIndex, type Parts } from '../query/path.ts';
import { typeName } from '../query/type-names.ts';
import { checkDynamic, expandParts, isDynamic } from './dynamic.ts';
import { OPERATORS } from './operators.ts';
import { setAt, unsetAt, valueAt } from './place.ts';

interface Change {
  op: string;
  path: string;
  parts: Parts;
  run: (current: unknown) => unknown;
}

/** Field changes in the order MongoDB makes them. */
interface Changes {
  kind: 'changes';
  changes: readonly Change[];
  arrayFilters: ReadonlyMap<string, Filter>;
  dynamic: boolean;
  roots: ReadonlySet<string>;
}

export type Update =
  | Changes
  | { kind: 'replacement'; bytes: Uint8Array; doc: Document }
  | { kind: 'pipeline'; shapes: readonly ((item: Item) => Item)[] };

export interface UpdateOptions {
  arrayFilters?: unknown;
  /** The variables of a pipeline, as the update's `c` or `constants` gives them. */
  constants?: unknown;
  /** The command's `let`. */
  scope?: Scope | undefined;
  collation?: Compare | undefined;
}

export function parseUpdate(spec: unknown, options: UpdateOptions = {}): Update {
  const { constants, scope = new Map() } = options;
  const arrayFilters = parseArrayFilters(options.arrayFilters, options.collation);
  if (constants !== undefined && !Array.isArray(spec))
    throw new CommandError(51198, 'Constant values may only be specified for pipeline updates');
  const isOperators = isObject(spec) && namesOf(spec)[0]?.startsWith('$') === true;
  if (arrayFilters.size > 0 && !isOperators)
    throw new CommandError(
      9,
      `arrayFilters may not be specified for ${Array.isArray(spec) ? 'pipeline' : 'replacement'}-style updates`,
    );
  if (Array.isArray(spec)) {
    const values = fieldsOf((constants ?? {}) as Document).map(([name, value]) => [name, constant(value)] as const);
    return { kind: 'pipeline', shapes: spec.map((stage) => parseShape(stage, new Map([...scope, ...values]))) };
  }
  if (!isObject(spec)) throw new CommandError(9, 'Update argument must be either an object or an array');
  if (isOperators) return parseChanges(spec, arrayFilters);
  const dollar = namesOf(spec).find((name) => name.startsWith('$'));
  if (dollar !== undefined) throw dollarField(dollar, "in the context of an update's replacement document");
  return { kind: 'replacement', bytes: encode(spec), doc: spec };
}

function parseShape(stage: unknown, scope: Scope): (item: Item) => Item {
  const [name, spec] = stageEntry(stage);
  const parse = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
  if (parse) return parse(spec, scope);
  throw /^\$(?:match|sort|skip|limit|group|unwind|lookup|count|out|merge)$/.test(name)
    ? new CommandError(72, `${name} is not allowed to be used within an update`)
    : new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
}

function parseArrayFilters(given: unknown, collate: Compare | undefined): Map<string, Filter> {
  const filters = new Map<string, Filter>();
  if (given === undefined || given === null) return filters;
  if (!Array.isArray(given))
    throw new CommandError(14, "BSON field 'arrayFilters' is the wrong type, expected type 'array'");
  for (const spec of given) {
    if (!isObject(spec)) throw new CommandError(14, "BSON field 'arrayFilters' must hold objects");
    const filter = parseFilter(spec, 'nested', collate);
    const [name, second] = rootsOf(filter);
    if (name === undefined)
      throw new CommandError(9, 'Cannot use an expression without a top-level field name in arrayFilters');
    if (second !== undefined)
      throw new CommandError(
        9,
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${name}' and '${second}'`,
      );
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      throw new CommandError(
        2,
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (filters.has(name))
      throw new CommandError(9, `Found multiple array filters with the same top-level field name ${name}`);
    filters.set(name, filter);
  }
  return filters;
}

function parseChanges(spec: Document, arrayFilters: ReadonlyMap<string, Filter>): Changes {
  const changes = fieldsOf(spec).flatMap(([op, fields]) => {
    const operator = Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined;
    if (!operator)
      throw new CommandError(
        9,
        `Unknown modifier: ${op}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    if (!isObject(fields))
      throw new CommandError(
        9,
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$set: {<field>: ...}} not {${op}: ...}`,
      );
    return fieldsOf(fields).map(([path, operand]): Change => {
      return { op, path, parts: partsOf(path, arrayFilters), run: operator(operand, path) };
    });
  });
  const used = new Set(changes.flatMap(({ parts }) => parts.filter(isDynamic)));
  for (const name of arrayFilters.keys()) {
    if (!used.has(`$[${name}]`))
      throw new CommandError(9, `The array filter for identifier '${name}' was not used in the update`);
  }
  return {
    kind: 'changes',
    changes: inOrder(changes),
    arrayFilters,
    dynamic: used.size > 0,
    roots: new Set(changes.map(({ parts }) => parts[0] as string)),
  };
}

function partsOf(path: string, arrayFilters: ReadonlyMap<string, Filter>): Parts {
  const parts = path.split('.');
  if (path === '') throw new CommandError(56, 'An empty update path is not valid.');
  if (parts.includes(''))
    throw new CommandError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  checkDynamic(path, parts, arrayFilters);
  if (parts[0]?.startsWith('$')) throw dollarField(path, 'for storage');
  return parts;
}

function dollarField(path: string, where: string): CommandError {
  return new CommandError(52, `The dollar ($) prefixed field '${path}' in '${path}' is not allowed ${where}.`);
}

/** Sorted by part, numbers as numbers: the order in which new fields appear in the document. No path may lie on another. */
function inOrder(changes: readonly Change[]): Change[] {
  const sorted = changes.toSorted((a, b) => comparePaths(a.parts, b.parts));
  for (const [at, change] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before && startsWith(change.parts, before.parts))
      throw new CommandError(40, `Updating the path '${change.path}' would create a conflict at '${before.path}'`);
  }
  return sorted;
}

function startsWith(parts: Parts, start: Parts): boolean {
  return start.every((part, depth) => part === parts[depth]);
}

function comparePaths(a: Parts, b: Parts): number {
  const at = a.findIndex((part, depth) => part !== b[depth]);
  const [left, right] = [a[at], b[at]];
  if (at < 0 || left === undefined || right === undefined) return a.length - b.length;
  if (isArrayIndex(left) && isArrayIndex(right)) return Number(left) - Number(right);
  return left < right ? -1 : 1;
}

/** The stored document after the update. */
export function updatedBytes(update: Update, before: Uint8Array): Uint8Array {
  if (update.kind === 'replacement') {
    const stored = decodeOnly(before, new Set(['_id']))['_id'];
    const given = update.doc['_id'];
    if (given !== undefined && !equal(given, stored)) throw immutableId();
    const [id] = elements(before);
    return storedForm(update.bytes, id && before.subarray(id.start, id.end));
  }
  // Untouched fields keep their bytes.
  const doc = update.kind === 'pipeline' ? decode(before) : decodeAround(before, new Set([...update.roots, '_id']));
  return encode(applyUpdate(update, doc, false), before.length + 512);
}

/** Applies to a freshly parsed document, which it may change. */
export function applyUpdate(
  update: Exclude<Update, { kind: 'replacement' }>,
  doc: Document,
  inserting: boolean,
): Document {
  const id = doc['_id'];
  // Changes reach into the value of `_id` itself.
  const held = update.kind === 'changes' && update.roots.has('_id') ? decode(encode({ id }))['id'] : id;
  const after = update.kind === 'changes' ? changed(update, doc, inserting) : reshaped(update.shapes, doc);
  if (held === undefined) return after;
  const isPipeline = update.kind === 'pipeline';
  const given = isPipeline && after['_id'] === undefined ? held : after['_id'];
  if (given === undefined || !equal(given, held)) throw immutableId();
  if (isPipeline) return withId(held, after);
  // An equal number of another type is no change.
  after['_id'] = held;
  return after;
}

function reshaped(shapes: readonly ((item: Item) => Item)[], doc: Document): Document {
  return shapes.reduce<Item>((item, shape) => shape(item), { doc }).doc;
}

/** The document with this `_id`, which comes first. */
export function withId(id: unknown, doc: Document): Document {
  const out: Document = { _id: id };
  for (const [name, value] of fieldsOf(doc)) if (name !== '_id') setField(out, name, value);
  return out;
}

function changed(update: Changes, doc: Document, inserting: boolean): Document {
  const { changes, arrayFilters, dynamic } = update;
  const concrete = dynamic
    ? inOrder(
        changes.flatMap((change) =>
          expandParts(doc, [], change.parts, arrayFilters).map((parts) => ({
            ...change,
            parts,
            path: parts.join('.'),
          })),
        ),
      )
    : changes;
  for (const { op, parts, run } of concrete) {
    if (op === '$unset') unsetAt(doc, parts);
    else if (op !== '$setOnInsert' || inserting) {
      const current = valueAt(doc, parts);
      const next = run(current);
      if (next !== current) setAt(doc, parts, next);
    }
  }
  return doc;
}

function immutableId(): CommandError {
  return new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}
