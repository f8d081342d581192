import { type Document, isNumeric, isObject, kindOf, numeric } from '../../bson/value.ts';
import { MongoFault, notImplemented } from '../../fault.ts';

const SIMILARITIES = ['cosine', 'dotProduct', 'euclidean'] as const;

export interface VectorField {
  path: string;
  parts: readonly string[];
  dimensions: number;
  similarity: (typeof SIMILARITIES)[number];
}

interface VectorDefinition {
  vectors: readonly VectorField[];
  /** Paths that a query's filter may name. */
  filters: readonly string[];
}

const MAX_DIMENSIONS = 8192;
const OPTIONS = ['type', 'path', 'numDimensions', 'similarity', 'quantization', 'indexingMethod'];
/** What Atlas knows besides: partitions, nested vectors, stored fields, graph tuning, other field types. */
const REFUSED = /^(?:numPartitions|nestedRoot|storedSource|hnswOptions|text|autoEmbed|embeddedDocuments)$/;

/**
 * Atlas Vector Search's index definition. `indexingMethod` and `quantization` say how Atlas stores the vectors; every search
 * here is exact over the full floats, as one with `exact: true` is there.
 */
export function parseVectorDefinition(definition: Document): VectorDefinition {
  only(definition, ['fields']);
  const { fields } = definition;
  check(Array.isArray(fields) && fields.length > 0, '"fields" is required and cannot be empty');
  const vectors: VectorField[] = [];
  const filters: string[] = [];
  for (const [at, field] of fields.entries()) {
    check(isObject(field), `"fields[${at}]" must be a document`);
    const { type, path } = field;
    refuse(type);
    check(type === 'vector' || type === 'filter', `"fields[${at}].type" must be one of [vector, filter]`);
    check(typeof path === 'string' && !path.split('.').includes(''), `"fields[${at}].path" must be a field path`);
    only(field, type === 'filter' ? ['type', 'path'] : OPTIONS);
    if (type === 'filter') filters.push(path);
    else vectors.push(vectorField(field, path));
  }
  const paths = [...filters, ...vectors.map((field) => field.path)];
  check(new Set(paths).size === paths.length, 'Vector and filter fields should have distinct paths');
  check(vectors.length > 0, '"fields" must contain a field of type vector');
  return { vectors, filters };
}

function vectorField(field: Document, path: string): VectorField {
  const { numDimensions, quantization = 'none', indexingMethod = 'hnsw' } = field;
  const dimensions = isNumeric(kindOf(numDimensions)) ? Number(numeric(numDimensions)) : NaN;
  const isValid = Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= MAX_DIMENSIONS;
  check(isValid, `"numDimensions" of '${path}' must be within bounds [1..${MAX_DIMENSIONS}]`);
  const similarity = SIMILARITIES.find((one) => one === field['similarity']);
  check(similarity, `"similarity" of '${path}' must be one of [${SIMILARITIES.join(', ')}]`);
  check(indexingMethod === 'flat' || indexingMethod === 'hnsw', '"indexingMethod" must be one of [flat, hnsw]');
  check(/^(?:none|scalar|binary)$/.test(String(quantization)), '"quantization" must be one of [none, scalar, binary]');
  check(quantization !== 'binary' || dimensions % 8 === 0, '"numDimensions" must be a multiple of 8 to be binary');
  return { path, parts: path.split('.'), dimensions, similarity };
}

function only(given: Document, allowed: readonly string[]): void {
  const unknown = Object.keys(given).find((field) => !allowed.includes(field));
  refuse(unknown);
  check(unknown === undefined, `unrecognized field "${unknown}"`);
}

function refuse(name: unknown): void {
  if (REFUSED.test(String(name))) throw notImplemented(`'${String(name)}' in a vector search index`);
}

function check(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new MongoFault(2, otherwise);
}
