import { type Document, encode, isObject, Kind, kindOf } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { equal } from '../query/compare.ts';
import { isArrayIndex } from '../query/path.ts';
import { OPERATORS } from './operators.ts';
import { setAt, valueAt } from './place.ts';

interface Change {
  op: string;
  path: string;
  parts: string[];
  operand: unknown;
}

/** A parsed update: field changes in the order MongoDB makes them, or a whole new document. */
export type Update = { replacement: Document } | { changes: Change[] };

export function parseUpdate(spec: unknown): Update {
  if (Array.isArray(spec)) throw notImplemented('An update by aggregation pipeline');
  if (!isObject(spec)) throw new MongoFault(9, 'Update argument must be an object');
  const names = Object.keys(spec);
  if (!names[0]?.startsWith('$')) {
    const mixed = names.find((name) => name.startsWith('$'));
    if (mixed)
      throw new MongoFault(
        52,
        `The dollar ($) prefixed field '${mixed}' in '${mixed}' is not allowed in the context of an update's replacement document`,
      );
    return { replacement: spec };
  }
  const changes: Change[] = [];
  for (const [op, fields] of Object.entries(spec)) {
    if (!op.startsWith('$')) throw new MongoFault(9, `Unknown modifier: ${op}. Expected a valid update modifier`);
    if (op !== '$rename' && !Object.hasOwn(OPERATORS, op)) {
      throw new MongoFault(
        9,
        `Unknown modifier: ${op}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isObject(fields))
      throw new MongoFault(
        9,
        `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${op}: ...}`,
      );
    for (const [path, operand] of Object.entries(fields)) {
      if (op === '$rename') changes.push(...renameChanges(path, operand));
      else changes.push({ op, path, parts: partsOf(path), operand });
    }
  }
  changes.sort((a, b) => comparePaths(a.parts, b.parts));
  refuseConflicts(changes);
  return { changes };
}

/** Applies to a freshly parsed document, which it changes, and returns it (or the replacement). */
export function applyUpdate(update: Update, doc: Document, inserting: boolean): Document {
  const id = doc['_id'];
  if ('replacement' in update) {
    const { _id: given, ...rest } = update.replacement;
    if (given !== undefined && id !== undefined && !sameId(given, id)) throw immutableId();
    const kept = id ?? given;
    return kept === undefined ? { ...rest } : { _id: kept, ...rest };
  }
  for (const { op, parts, path, operand } of update.changes) {
    if (op === '$setOnInsert' && !inserting) continue;
    // The one operator that reads one place and writes another: both ends were parsed into changes.
    if (op === 'rename to') {
      const from = (operand as { from: string[] }).from;
      const moved = valueAt(doc, from);
      if (moved !== undefined) setAt(doc, parts, moved);
      continue;
    }
    OPERATORS[op]?.(doc, parts, operand, path);
  }
  for (const { op, operand } of update.changes) {
    if (op === 'rename to') OPERATORS['$unset']?.(doc, (operand as { from: string[] }).from, true, '');
  }
  if (id !== undefined && !sameId(doc['_id'], id)) throw immutableId();
  return doc;
}

/** Replaces in the document what stands under an `_id` check: bytes, so that 1 and 1.0 differ as MongoDB has it for embedded fields. */
function sameId(a: unknown, b: unknown): boolean {
  return (
    a !== undefined &&
    equal(a, b) &&
    (kindOf(a) !== Kind.object || Buffer.compare(encode({ a }), encode({ a: b })) === 0)
  );
}

function immutableId(): MongoFault {
  return new MongoFault(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

function renameChanges(path: string, target: unknown): Change[] {
  if (typeof target !== 'string') throw new MongoFault(2, `The 'to' field for $rename must be a string: ${path}`);
  const from = partsOf(path);
  const parts = partsOf(target);
  if (path === target) throw new MongoFault(2, `The source and target field for $rename must differ: ${path}`);
  return [
    { op: 'rename from', path, parts: from, operand: undefined },
    { op: 'rename to', path: target, parts, operand: { from } },
  ];
}

function partsOf(path: string): string[] {
  const parts = path.split('.');
  for (const part of parts) {
    if (part === '') {
      throw new MongoFault(
        56,
        path === ''
          ? 'An empty update path is not valid.'
          : `The update path '${path}' contains an empty field name, which is not allowed.`,
      );
    }
    if (part === '$' || part.startsWith('$[')) throw notImplemented(`The positional update path '${path}'`);
  }
  if ((parts[0] as string).startsWith('$')) {
    throw new MongoFault(52, `The dollar ($) prefixed field '${path}' in '${path}' is not valid for storage.`);
  }
  return parts;
}

/** By part, numbers as numbers: the order in which new fields appear in the document. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [left, right] = [a[at] as string, b[at] as string];
    if (left === right) continue;
    if (isArrayIndex(left) && isArrayIndex(right)) return Number(left) - Number(right);
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

function refuseConflicts(changes: readonly Change[]): void {
  for (let at = 1; at < changes.length; at++) {
    const [before, after] = [changes[at - 1] as Change, changes[at] as Change];
    if (before.parts.every((part, depth) => part === after.parts[depth])) {
      throw new MongoFault(40, `Updating the path '${after.path}' would create a conflict at '${before.path}'`);
    }
  }
}
