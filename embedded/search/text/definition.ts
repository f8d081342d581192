import { type Document, fieldsOf, isObject } from '../../bson/value.ts';
import { MongoFault, notImplemented } from '../../fault.ts';
import { isAnalyzer } from './analyzer.ts';
import type { ExactField, ExactType, TextField } from './fields.ts';

export interface Mapping {
  texts: TextField[];
  /** Every mapped path; the first is '', which every document has. */
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
  const { mappings, analyzer = 'lucene.standard', searchAnalyzer = analyzer, ...rest } = definition;
  const [unknown] = Object.keys(rest);
  if (unknown) throw notImplemented(`The search index option '${unknown}'`);
  if (!isObject(mappings)) throw new MongoFault(2, '"mappings" is required in a search index definition');
  const mapping: Mapping = { texts: [], exact: [] };
  collect({ type: 'document', ...mappings }, '', { analyzer, searchAnalyzer }, mapping);
  return mapping;
}

interface Analyzers {
  analyzer: unknown;
  searchAnalyzer: unknown;
}

function collect(given: unknown, path: string, analyzers: Analyzers, into: Mapping): void {
  const parts = path === '' ? [] : path.split('.');
  const exact: ExactField = { path, parts, types: new Set(), lowercase: false };
  into.exact.push(exact);
  for (const spec of Array.isArray(given) ? given : [given]) {
    if (!isObject(spec)) throw new MongoFault(2, `The search mapping of '${path}' must be a document`);
    const { type, ...options } = spec;
    const known = Object.hasOwn(TYPES, String(type)) ? TYPES[String(type)] : undefined;
    if (!known) throw notImplemented(`The search field type '${String(type)}'`);
    for (const [name, value] of fieldsOf(options)) {
      const taken = known[name];
      if (!taken || (taken.length > 0 && !taken.includes(value)))
        throw notImplemented(`'${name}: ${JSON.stringify(value)}' of the ${String(type)} field '${path}'`);
    }
    if (type === 'string') {
      const { analyzer = analyzers.analyzer, searchAnalyzer = options['analyzer'] ?? analyzers.searchAnalyzer } =
        options;
      if (!isAnalyzer(analyzer)) throw notImplemented(`The analyzer ${JSON.stringify(analyzer)}`);
      if (searchAnalyzer !== analyzer) throw notImplemented('A searchAnalyzer other than the analyzer');
      into.texts.push({ path, parts, analyzer });
    } else if (type === 'document') {
      const { fields } = options;
      if (!isObject(fields)) throw new MongoFault(2, '"fields" of a search mapping must be a document');
      for (const [name, inner] of fieldsOf(fields))
        collect(inner, path === '' ? name : `${path}.${name}`, analyzers, into);
    } else {
      exact.types.add(type as ExactType);
      exact.lowercase ||= options['normalizer'] === 'lowercase';
    }
  }
}
