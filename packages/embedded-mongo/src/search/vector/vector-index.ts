import { type Document, isObject } from '../../bson/value.ts';
import { CommandError, notImplemented } from '../../errors.ts';
import type { Database } from '../../storage/database.ts';
import { numberOf, only } from '../request.ts';
import type { VectorCaches } from './caches.ts';
import type { VectorField } from './table.ts';

const SIMILARITIES = ['cosine', 'dotProduct', 'euclidean'] as const;
const MAX_DIMENSIONS = 8192;
const OPTIONS = ['type', 'path', 'numDimensions', 'similarity', 'quantization', 'indexingMethod'];

interface VectorDefinition {
  vectors: readonly VectorField[];
  /** Paths that a query's filter may name. */
  filters: readonly string[];
}

/** A vectorSearch index: nothing of it is on disk, what a search needs is in the caches. */
export class VectorIndex {
  readonly type = 'vectorSearch';
  readonly id: number;
  readonly name: string;
  readonly definition: Document;
  readonly vectors: readonly VectorField[];
  readonly filters: readonly string[];
  readonly #caches: VectorCaches;

  constructor(database: Database, id: number, name: string, definition: Document) {
    const { vectors, filters } = parseVectorDefinition(definition);
    this.id = id;
    this.name = name;
    this.definition = definition;
    this.vectors = vectors;
    this.filters = filters;
    this.#caches = database.vectors;
  }

  create(): void {
    this.drop();
  }

  drop(): void {
    this.#caches.drop(this.id);
  }

  add(row: number): void {
    this.#caches.note(this.id, row);
  }

  replace(row: number): void {
    this.add(row);
  }

  remove(row: number): void {
    this.add(row);
  }
}

/**
 * Atlas Vector Search's index definition. `indexingMethod` and `quantization` say how Atlas stores the vectors; every search
 * here is exact over the full floats, as one with `exact: true` is there.
 */
export function parseVectorDefinition(definition: Document): VectorDefinition {
  only(definition, ['fields'], 'a vector search index');
  const { fields } = definition;
  check(Array.isArray(fields) && fields.length > 0, '"fields" is required and cannot be empty');
  const vectors: VectorField[] = [];
  const filters: string[] = [];
  for (const [at, field] of fields.entries()) {
    check(isObject(field), `"fields[${at}]" must be a document`);
    const { type, path } = field;
    if (type !== 'vector' && type !== 'filter') throw notImplemented(`The vector search field type '${String(type)}'`);
    check(typeof path === 'string' && !path.split('.').includes(''), `"fields[${at}].path" must be a field path`);
    only(field, type === 'filter' ? ['type', 'path'] : OPTIONS, `a ${type} field`);
    if (type === 'filter') filters.push(path);
    else vectors.push(vectorField(field, path));
  }
  const paths = [...filters, ...vectors.map((field) => field.path)];
  check(new Set(paths).size === paths.length, 'Vector and filter fields should have distinct paths');
  check(vectors.length > 0, '"fields" must contain a field of type vector');
  return { vectors, filters };
}

function vectorField(field: Document, path: string): VectorField {
  const { quantization = 'none', indexingMethod = 'hnsw' } = field;
  const dimensions = numberOf(field['numDimensions']);
  const isValid = Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= MAX_DIMENSIONS;
  check(isValid, `"numDimensions" of '${path}' must be within bounds [1..${MAX_DIMENSIONS}]`);
  const similarity = SIMILARITIES.find((one) => one === field['similarity']);
  check(similarity, `"similarity" of '${path}' must be one of [${SIMILARITIES.join(', ')}]`);
  check(indexingMethod === 'flat' || indexingMethod === 'hnsw', '"indexingMethod" must be one of [flat, hnsw]');
  check(/^(?:none|scalar|binary)$/.test(String(quantization)), '"quantization" must be one of [none, scalar, binary]');
  check(quantization !== 'binary' || dimensions % 8 === 0, '"numDimensions" must be a multiple of 8 to be binary');
  return { path, parts: path.split('.'), dimensions, similarity };
}

function check(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new CommandError(2, otherwise);
}
