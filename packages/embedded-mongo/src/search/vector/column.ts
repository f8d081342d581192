import { Binary } from 'bson';
import { type Document, Kind, kindOf } from '../../bson/value.ts';
import type { Predicate } from '../../query/filter.ts';
import { matchesValue } from '../../query/match.ts';
import { someAt } from '../../query/path.ts';
import { KeyWriter } from '../../storage/key.ts';

/** Content of a filter field: one value, or the values of an array. */
interface Held {
  exists: boolean;
  value: unknown;
  /** Keys of an array, or of a missing value. */
  keys: readonly string[] | undefined;
  key: string;
  uses: number;
}

const { bool, date, double, int, long, objectId, string } = Kind;
const FILTER_KINDS = new Set<number>([bool, date, double, int, long, objectId, string, Kind.null]);

/** One filter field, dictionary-encoded: what documents hold in it stands once, and each slot has its number. */
export class Column {
  readonly #parts: readonly string[];
  readonly #codes: number[] = [];
  readonly #entries: Held[] = [];
  readonly #codeOf = new Map<string, number>();
  /** The codes of what is not one value. */
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

  /** The value of a slot, or its values. */
  valueAt(slot: number): unknown {
    return this.#entries[this.#codes[slot] as number]?.value;
  }

  /** 1 for each slot that passes: the predicate is tried once for each code, equality not even that. */
  mask(predicate: Predicate): Uint8Array {
    const passing = this.#passing(predicate);
    const mask = new Uint8Array(this.#codes.length);
    for (let slot = 0; slot < mask.length; slot++) mask[slot] = passing[this.#codes[slot] as number] as number;
    return mask;
  }

  #passing(predicate: Predicate): Uint8Array {
    const passing = new Uint8Array(this.#entries.length);
    if (predicate.op === 'not') {
      const all = predicate.items.map((item) => this.#passing(item));
      return passing.map((_, code) => (all.every((one) => one[code] === 1) ? 0 : 1));
    }
    if (predicate.op === 'eq' || predicate.op === 'in') {
      const keys = new Set((predicate.op === 'eq' ? [predicate.value] : predicate.values).map(keyOf));
      for (const code of keys.values().map((key) => this.#codeOf.get(key))) if (code !== undefined) passing[code] = 1;
      for (const code of this.#several) if (this.#entries[code]?.keys?.some((key) => keys.has(key))) passing[code] = 1;
      return passing;
    }
    for (const [code, { exists, value }] of this.#entries.entries())
      if (predicate.op === 'exists' ? exists : matchesValue([predicate], value)) passing[code] = 1;
    return passing;
  }

  #enter(held: Held): number {
    const known = this.#codeOf.get(held.key);
    const code = known ?? this.#free.pop() ?? this.#entries.length;
    if (known === undefined) {
      this.#entries[code] = held;
      this.#codeOf.set(held.key, code);
      if (held.keys) this.#several.add(code);
    }
    (this.#entries[code] as Held).uses++;
    return code;
  }

  #leave(code: number): void {
    const entry = this.#entries[code];
    if (!entry || --entry.uses > 0) return;
    this.#codeOf.delete(entry.key);
    this.#several.delete(code);
    this.#free.push(code);
  }
}

/** True for values that Atlas indexes in a filter field. Of any other value it only knows that the field exists. */
export function isFilterValue(value: unknown): boolean {
  const kind = kindOf(value);
  return FILTER_KINDS.has(kind) || (kind === Kind.binary && (value as Binary).sub_type === Binary.SUBTYPE_UUID);
}

function heldAt(doc: Document, parts: readonly string[]): Held {
  const values: unknown[] = [];
  let exists = false;
  someAt(doc, parts, true, (leaf) => {
    exists ||= leaf !== undefined;
    if (isFilterValue(leaf)) values.push(leaf);
    return false;
  });
  if (values.length === 1) return { exists, value: values[0], keys: undefined, key: keyOf(values[0]), uses: 0 };
  const keys = values.map(keyOf);
  return { exists, value: values, keys, key: `\0${JSON.stringify([exists, keys])}`, uses: 0 };
}

/** Equal values have equal keys, whatever their numeric type. Strings, by far the most, are their own. */
function keyOf(value: unknown): string {
  return typeof value === 'string' && !value.startsWith('\0')
    ? value
    : `\0k${new KeyWriter().add(value).finish().toString('latin1')}`;
}
