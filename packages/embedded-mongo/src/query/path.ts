import { type Document, fieldOf, isObject } from '../bson/value.ts';
import { CommandError } from '../errors.ts';

export type Parts = readonly string[];

const INDEX = /^(?:0|[1-9]\d{0,8})$/;

export function isArrayIndex(part: string): boolean {
  return INDEX.test(part);
}

/**
 * True when any value at the path passes the test. Arrays on the way are entered, by position and through their embedded
 * documents; at the end the array itself is tested and, with `expand`, its elements. A missing field is tested as `undefined`.
 */
export function someAt(value: unknown, parts: Parts, expand: boolean, test: (leaf: unknown) => boolean): boolean {
  const walk = (here: unknown, at: number): boolean => {
    const part = parts[at];
    if (part === undefined) return test(here) || (expand && Array.isArray(here) && here.some((item) => test(item)));
    if (Array.isArray(here)) {
      if (isArrayIndex(part)) {
        const index = Number(part);
        if (index < here.length && walk(here[index], at + 1)) return true;
      }
      return here.some((item) => isObject(item) && walk(item, at));
    }
    if (!isObject(here)) return test(undefined);
    const inner = fieldOf(here, part);
    return inner === undefined ? test(undefined) : walk(inner, at + 1);
  };
  return walk(value, 0);
}

/**
 * The index keys (or sort keys) of a document: one tuple for each element of the array the paths run through. Missing is null;
 * an empty array is `undefined`, which sorts below null.
 */
export function keyTuples(doc: Document, paths: readonly Parts[], purpose: 'index' | 'sort'): unknown[][] {
  const tuples: unknown[][] = [];
  expandTuple(
    paths.map(() => doc),
    paths.map((parts) => parts),
    purpose,
    tuples,
  );
  return tuples;
}

function expandTuple(values: unknown[], rests: Parts[], purpose: 'index' | 'sort', out: unknown[][]): void {
  const reached = values.slice();
  const left = rests.slice();
  let array: unknown[] | undefined;
  for (let field = 0; field < reached.length; field++) {
    let value = reached[field];
    let rest = left[field] as Parts;
    while (rest.length > 0 && (isObject(value) || isAtPosition(value, rest[0] as string))) {
      value = isObject(value) ? fieldOf(value, rest[0] as string) : (value as unknown[])[Number(rest[0])];
      rest = rest.slice(1);
    }
    if (Array.isArray(value) && rest !== DONE) {
      if (array !== undefined && array !== value) throw parallelArrays(purpose);
      array = value;
    }
    reached[field] = value;
    left[field] = rest;
  }
  if (array === undefined) {
    out.push(reached.map((value, field) => leafValue(value, left[field] as Parts)));
    return;
  }
  for (const item of array.length === 0 ? [EMPTY] : array) {
    const nextLeft = left.slice();
    const next = reached.map((value, field) => {
      if (value !== array) return value;
      if ((left[field] as Parts).length === 0) {
        nextLeft[field] = DONE;
        return item;
      }
      return isObject(item) ? item : null;
    });
    expandTuple(next, nextLeft, purpose, out);
  }
}

/** True when the path's part is a position in the array. It must not name a field of an element as well. */
function isAtPosition(value: unknown, part: string): boolean {
  if (!Array.isArray(value) || !isArrayIndex(part) || Number(part) >= value.length) return false;
  if (!value.some((item) => isObject(item) && Object.hasOwn(item, part))) return true;
  throw new CommandError(16746, `Ambiguous field name found in array (do not use numeric field names): ${part}`);
}

const EMPTY = Symbol('empty array');
/** Marks a field whose array was already entered: an array inside that array is a value. */
const DONE: Parts = [];

function leafValue(value: unknown, rest: Parts): unknown {
  if (value === EMPTY) return undefined;
  return rest.length > 0 || value === undefined ? null : value;
}

function parallelArrays(purpose: 'index' | 'sort'): CommandError {
  return purpose === 'index'
    ? new CommandError(171, 'cannot index parallel arrays')
    : new CommandError(2, 'cannot sort with keys that are parallel arrays');
}
