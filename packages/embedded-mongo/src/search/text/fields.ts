import type { Binary } from 'bson';
import { type Document, fieldOf, fieldsOf, isObject, Kind, kindOf, numeric } from '../../bson/value.ts';
import { CommandError, notImplemented } from '../../errors.ts';
import { rankOf } from '../../query/compare.ts';
import { KeyWriter } from '../../storage/key.ts';
import { only } from '../request.ts';
import { type Analyze, createAnalyzer } from './analyzer.ts';

interface TextField {
  path: string;
  parts: readonly string[];
  analyze: Analyze;
}

/** A mapped path, whatever it is mapped as: `types` are the values that can be compared there. Null always can. */
interface ExactField {
  path: string;
  parts: readonly string[];
  types: Set<string>;
  /** Tokens are held and asked for in small letters. */
  lowercase: boolean;
}

interface Mapping {
  texts: TextField[];
  /** The first is '', which every document has. */
  exact: ExactField[];
}

/** The options of a field type, with the values that ask for no more than what is done here anyway; none: looked at below. */
const TYPES: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  string: {
    analyzer: [],
    searchAnalyzer: [],
    indexOptions: ['offsets', 'positions'],
    store: [true, false],
    norms: ['include'],
  },
  token: { normalizer: ['none', 'lowercase'] },
  number: { representation: ['double'], indexIntegers: [true], indexDoubles: [true] },
  boolean: {},
  date: {},
  objectId: {},
  uuid: {},
  document: { fields: [], dynamic: [false] },
};

/** Atlas Search's index definition, as far as this engine honours it; the rest is refused when the index is made. */
export function parseDefinition(definition: Document): Mapping {
  only(definition, ['mappings', 'analyzer', 'searchAnalyzer'], 'a search index definition');
  const { mappings, ...analyzers } = definition;
  if (!isObject(mappings)) throw new CommandError(2, '"mappings" is required in a search index definition');
  const mapping: Mapping = { texts: [], exact: [] };
  const analyze = analyzersOf(analyzers);
  const collect = (given: unknown, path: string): void => {
    const parts = path === '' ? [] : path.split('.');
    const exact: ExactField = { path, parts, types: new Set(), lowercase: false };
    mapping.exact.push(exact);
    for (const spec of [given].flat()) {
      const { type, ...options } = isObject(spec) ? spec : {};
      checkType(type, options);
      if (type === 'string') mapping.texts.push({ path, parts, analyze: analyze(options) });
      else if (type === 'document') {
        const { fields } = options;
        if (!isObject(fields)) throw new CommandError(2, '"fields" of a search mapping must be a document');
        for (const [name, inner] of fieldsOf(fields)) collect(inner, path === '' ? name : `${path}.${name}`);
      } else {
        exact.types.add(String(type));
        exact.lowercase ||= options['normalizer'] === 'lowercase';
      }
    }
  };
  collect({ type: 'document', ...mappings }, '');
  return mapping;
}

function checkType(type: unknown, options: Document): void {
  const known = Object.hasOwn(TYPES, String(type)) ? TYPES[String(type)] : undefined;
  if (!known) throw notImplemented(`The search field type '${String(type)}'`);
  for (const [name, value] of fieldsOf(options)) {
    const taken = known[name];
    if (!taken || (taken.length > 0 && !taken.includes(value)))
      throw notImplemented(`'${name}: ${JSON.stringify(value)}' of a ${String(type)} field`);
  }
}

/** The analyzer of a field. Fields with the same one share it, and with it the words that it remembers. */
function analyzersOf({ analyzer: usual = 'lucene.standard', searchAnalyzer }: Document): (own: Document) => Analyze {
  const made = new Map<unknown, Analyze>();
  return (own) => {
    const { analyzer = usual } = own;
    const searching = own['searchAnalyzer'] ?? own['analyzer'] ?? searchAnalyzer ?? usual;
    if (searching !== analyzer) throw notImplemented('A searchAnalyzer other than the analyzer');
    const analyze = made.get(analyzer) ?? createAnalyzer(analyzer);
    made.set(analyzer, analyze);
    return analyze;
  };
}

/** Lucene's longest term, in characters that may take four bytes. */
const MAX_TOKEN = 8191;

const TYPE_OF: Readonly<Record<number, string>> = {
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
export function typeOf(value: unknown): string | undefined {
  const kind = kindOf(value);
  if (kind === Kind.binary) return (value as Binary).sub_type === 4 ? 'uuid' : undefined;
  return TYPE_OF[kind];
}

/** The term that stands for the value; such terms order as their values do. Numbers are doubles, as Atlas holds them. */
export function keyOf(value: unknown, { lowercase }: ExactField): string {
  let held = value;
  if (typeof value === 'string') held = (lowercase ? value.toLowerCase() : value).slice(0, MAX_TOKEN);
  else if (typeOf(value) === 'number') held = Number(numeric(value));
  return new KeyWriter().add(held).finish().toString('hex');
}

/** The string that a key stands for; `undefined` for other values, and for strings that their key may not hold as they are. */
export function textOfKey(key: string): string | undefined {
  const bytes = Buffer.from(key, 'hex');
  const isWhole = bytes[0] === rankOf(Kind.string) && bytes.length < MAX_TOKEN;
  // Two zeros end a string; a third would be escaped.
  return isWhole && bytes.indexOf(0) === bytes.length - 2 ? bytes.toString('utf8', 1, bytes.length - 2) : undefined;
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
