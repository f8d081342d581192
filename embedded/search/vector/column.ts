import { Binary } from 'bson';
import { type Document, Kind, kindOf } from '../../bson/value.ts';
import type { Predicate } from '../../query/filter.ts';
import { matchesValue } from '../../query/match.ts';
import { someAt } from '../../query/path.ts';
import { KeyWriter } from '../../storage/key.ts';

/** A filter of what columns can tell. */
export type SlotFilter =
  | { op: 'and' | 'or' | 'nor'; filters: SlotFilter[] }
  | { op: 'field'; path: string; predicate: Predicate };

/** What is not one value: those of an array, or none. */
class Several {
  readonly exists: boolean;
  readonly values: readonly unknown[];
  readonly keys: readonly string[];

  constructor(exists: boolean, values: readonly unknown[]) {
    this.exists = exists;
    this.values = values;
    this.keys = values.map(keyOf);
  }
}

const { bool, date, double, int, long, objectId, string } = Kind;
const FILTER_KINDS = new Set<number>([bool, date, double, int, long, objectId, string, Kind.null]);

/** One filter field, dictionary-encoded: what documents hold in it stands once, and each slot has its number. */
export class Column {
  readonly #parts: readonly string[];
  readonly #codes: number[] = [];
  // By code: a value or several, its key, and how many slots have it.
  readonly #held: unknown[] = [];
  readonly #keys: string[] = [];
  readonly #uses: number[] = [];
  readonly #codeOf = new Map<string, number>();
  readonly #several = new Set<number>();
  readonly #free: number[] = [];

  constructor(path: string) {
    this.#parts = path.split('.');
  }

  set(slot: number, doc: Document): void {
    const before = this.#codes[slot];
    this.#codes[slot] = this.#enter(heldAt(doc, this.#parts));
    if (before !== undefined) this.#leave(before);
  }

  /** Takes the last slot away; what it had goes to `slot`, whose row is gone. */
  moveLast(slot: number): void {
    const last = this.#codes.pop() as number;
    this.#leave(this.#codes[slot] ?? last);
    if (slot < this.#codes.length) this.#codes[slot] = last;
  }

  /** 1 for each slot that passes: the predicate is tried once for each code, equality not even that. */
  mask(predicate: Predicate): Uint8Array {
    const passing = this.#passing(predicate);
    const mask = new Uint8Array(this.#codes.length);
    for (let slot = 0; slot < mask.length; slot++) mask[slot] = passing[this.#codes[slot] as number] as number;
    return mask;
  }

  #passing(predicate: Predicate): Uint8Array {
    const passing = new Uint8Array(this.#held.length);
    if (predicate.op === 'not') {
      const all = predicate.items.map((item) => this.#passing(item));
      return passing.map((_, code) => (all.every((one) => one[code] === 1) ? 0 : 1));
    }
    if (predicate.op === 'eq' || predicate.op === 'in') {
      const keys = (predicate.op === 'eq' ? [predicate.value] : predicate.values).map(keyOf);
      for (const code of keys.map((key) => this.#codeOf.get(key))) if (code !== undefined) passing[code] = 1;
      for (const code of this.#several)
        if ((this.#held[code] as Several).keys.some((key) => keys.includes(key))) passing[code] = 1;
      return passing;
    }
    for (const [code, held] of this.#held.entries()) {
      const several = held instanceof Several ? held : undefined;
      if (predicate.op === 'exists' ? (several?.exists ?? true) : matchesValue([predicate], several?.values ?? held))
        passing[code] = 1;
    }
    return passing;
  }

  #enter(held: unknown): number {
    const key = held instanceof Several ? `\0${JSON.stringify([held.exists, held.keys])}` : keyOf(held);
    const known = this.#codeOf.get(key);
    const code = known ?? this.#free.pop() ?? this.#held.length;
    this.#uses[code] = (this.#uses[code] ?? 0) + 1;
    if (known !== undefined) return code;
    this.#held[code] = held;
    this.#keys[code] = key;
    this.#codeOf.set(key, code);
    if (held instanceof Several) this.#several.add(code);
    return code;
  }

  #leave(code: number): void {
    const uses = (this.#uses[code] as number) - 1;
    this.#uses[code] = uses;
    if (uses > 0) return;
    this.#codeOf.delete(this.#keys[code] as string);
    this.#held[code] = undefined;
    this.#several.delete(code);
    this.#free.push(code);
  }
}

/** What Atlas indexes of a filter field; of any other value it only knows that the field exists. */
export function isFilterValue(value: unknown): boolean {
  const kind = kindOf(value);
  return FILTER_KINDS.has(kind) || (kind === Kind.binary && (value as Binary).sub_type === Binary.SUBTYPE_UUID);
}

function heldAt(doc: Document, parts: readonly string[]): unknown {
  const values: unknown[] = [];
  let exists = false;
  someAt(doc, parts, true, (leaf) => {
    exists ||= leaf !== undefined;
    if (isFilterValue(leaf)) values.push(leaf);
    return false;
  });
  return values.length === 1 ? values[0] : new Several(exists, values);
}

/** Equal values have equal keys, whatever their numeric type. Strings, by far the most, are their own. */
function keyOf(value: unknown): string {
  return typeof value === 'string' && !value.startsWith('\0')
    ? value
    : `\0k${new KeyWriter().add(value).finish().toString('latin1')}`;
}
