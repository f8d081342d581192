import type { Binary } from 'bson';
import { type Document, fieldOf, isObject, Kind, kindOf, numeric } from '../../bson/value.ts';
import { KeyWriter } from '../../storage/key.ts';

export interface TextField {
  path: string;
  parts: readonly string[];
  analyzer: string;
}

export type ExactType = 'token' | 'boolean' | 'number' | 'date' | 'objectId' | 'uuid';

/** A mapped path, whatever it is mapped as: `types` are the values that can be compared there. Null always can. */
export interface ExactField {
  path: string;
  parts: readonly string[];
  types: Set<ExactType>;
  /** Tokens are held and asked for in small letters. */
  lowercase: boolean;
}

/** Lucene's longest term, in characters that may take four bytes. */
const MAX_TOKEN = 8191;

const TYPES: Readonly<Record<number, ExactType | 'null'>> = {
  [Kind.string]: 'token',
  [Kind.bool]: 'boolean',
  [Kind.int]: 'number',
  [Kind.long]: 'number',
  [Kind.double]: 'number',
  [Kind.date]: 'date',
  [Kind.objectId]: 'objectId',
  [Kind.null]: 'null',
};

/** The type by which a value is indexed and asked for. */
export function typeOf(value: unknown): ExactType | 'null' | undefined {
  const kind = kindOf(value);
  if (kind === Kind.binary) return (value as Binary).sub_type === 4 ? 'uuid' : undefined;
  return TYPES[kind];
}

/** The term that stands for the value; such terms order as their values do. Numbers are doubles, as Atlas holds them. */
export function keyOf(value: unknown, { lowercase }: ExactField): string {
  const type = typeOf(value);
  const held =
    type === 'number'
      ? Number(numeric(value))
      : type === 'token'
        ? (lowercase ? (value as string).toLowerCase() : (value as string)).slice(0, MAX_TOKEN)
        : value;
  return new KeyWriter().add(held).finish().toString('hex');
}

/** The strings that the path leads to. */
export function textsOf(doc: Document, { parts }: TextField): string[] {
  return leavesOf(doc, parts).leaves.filter((leaf) => typeof leaf === 'string');
}

/** The terms of the values that the path leads to, after '' if it leads anywhere. */
export function keysOf(doc: Document, field: ExactField): string[] {
  const { found, leaves } = leavesOf(doc, field.parts);
  const keys = new Set(found ? [''] : []);
  for (const leaf of leaves) {
    const type = typeOf(leaf);
    if (type === 'null' || (type && field.types.has(type))) keys.add(keyOf(leaf, field));
  }
  return [...keys];
}

/** Arrays stand for their elements, however deep. */
function leavesOf(doc: Document, parts: readonly string[]): { found: boolean; leaves: unknown[] } {
  const leaves: unknown[] = [];
  let found = false;
  const walk = (value: unknown, at: number): void => {
    if (at === parts.length) found = true;
    if (Array.isArray(value)) for (const item of value) walk(item, at);
    else if (at === parts.length) leaves.push(value);
    else if (isObject(value)) {
      const inner = fieldOf(value, parts[at] as string);
      if (inner !== undefined) walk(inner, at + 1);
    }
  };
  walk(doc, 0);
  return { found, leaves };
}
