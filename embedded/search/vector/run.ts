import type { Collection } from '../../storage/collection.ts';
import type { Database } from '../../storage/database.ts';
import type { Scored } from '../scored.ts';
import { check, type VectorSearchRequest } from './request.ts';
import type { Hit } from './table.ts';

/** The nearest rows, best first. As on Atlas, a name that no index has gives an empty answer. */
export function vectorSearch(
  database: Database,
  collection: Collection,
  request: VectorSearchRequest,
): Iterable<Scored> {
  const { path, vector, limit, filter } = request;
  const index = collection.searchIndexes.find((one) => one.name === request.index);
  if (!index) return [];
  check(index.type === 'vectorSearch', `Cannot execute $vectorSearch over search index '${index.name}'`);
  const field = index.vectors.find((one) => one.path === path);
  check(field, `${path} is not indexed as vector`);
  const { dimensions, similarity } = field;
  check(
    vector.length === dimensions,
    `vector field is indexed with ${dimensions} dimensions but queried with ${vector.length}`,
  );
  const missing = [...request.filtered].find((named) => !index.filters.includes(named));
  check(missing === undefined, `Path '${missing}' needs to be indexed as filter`);
  check(
    similarity !== 'cosine' || vector.some((number) => number !== 0),
    'Cosine similarity cannot be calculated against a zero vector.',
  );
  const source = {
    after: (row: number) => database.iterate(`SELECT r, d FROM ${collection.table} WHERE r > ? ORDER BY r`, row),
    get: (row: number) => collection.get(row),
    tick: () => database.tick(),
  };
  return documentsOf(collection, database.vectors.open(source, index, field).search(vector, limit, filter));
}

function* documentsOf(collection: Collection, hits: readonly Hit[]): Generator<Scored> {
  for (const { row: id, score } of hits) {
    const bytes = collection.get(id);
    if (bytes) yield { id, bytes, score };
  }
}
