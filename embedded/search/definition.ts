import { type Document, fieldsOf, isObject } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';

export type Analyzer = 'english' | 'standard';

export interface Mapping {
  texts: { path: string; analyzer: Analyzer }[];
  /** Fields that equals, in and exists may name. */
  exact: Set<string>;
}

const EXACT_TYPES = new Set(['token', 'boolean', 'number', 'date', 'objectId', 'uuid']);

/** Atlas Search's index definition, as far as this engine honours it; the rest is refused when the index is made. */
export function parseDefinition(definition: Document): Mapping {
  const unknown = Object.keys(definition).find((field) => !['analyzer', 'searchAnalyzer', 'mappings'].includes(field));
  if (unknown) throw notImplemented(`The search index option '${unknown}'`);
  const mappings = definition['mappings'];
  if (!isObject(mappings)) throw new MongoFault(2, '"mappings" is required in a search index definition');
  refuseDynamic(mappings);
  const analyzer = analyzerOf(definition['analyzer'], 'standard');
  if (definition['searchAnalyzer'] !== undefined && analyzerOf(definition['searchAnalyzer'], analyzer) !== analyzer) {
    throw notImplemented('A searchAnalyzer other than the analyzer');
  }
  const mapping: Mapping = { texts: [], exact: new Set() };
  collect(mappings['fields'], '', analyzer, mapping);
  return mapping;
}

function collect(fields: unknown, prefix: string, analyzer: Analyzer, into: Mapping): void {
  if (!isObject(fields)) throw new MongoFault(2, '"fields" of a search mapping must be a document');
  for (const [name, given] of fieldsOf(fields)) {
    const path = prefix + name;
    for (const type of Array.isArray(given) ? given : [given]) {
      if (!isObject(type)) throw new MongoFault(2, `The search mapping of '${path}' must be a document`);
      const kind = String(type['type']);
      if (kind === 'document') {
        refuseDynamic(type);
        collect(type['fields'], `${path}.`, analyzer, into);
      } else if (kind === 'string') {
        into.texts.push({ path, analyzer: analyzerOf(type['analyzer'], analyzer) });
      } else if (EXACT_TYPES.has(kind)) {
        if (type['normalizer'] !== undefined && type['normalizer'] !== 'none')
          throw notImplemented(`The normalizer of '${path}'`);
        into.exact.add(path);
      } else throw notImplemented(`The search field type '${kind}'`);
    }
  }
}

function refuseDynamic(mapping: Document): void {
  if (mapping['dynamic'] !== undefined && mapping['dynamic'] !== false)
    throw notImplemented('A dynamic search mapping');
}

function analyzerOf(name: unknown, fallback: Analyzer): Analyzer {
  if (name === undefined) return fallback;
  if (name === 'lucene.english') return 'english';
  if (name === 'lucene.standard') return 'standard';
  throw notImplemented(`The analyzer ${JSON.stringify(name)}`);
}
