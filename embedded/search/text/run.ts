import type { Query } from '../../plan/rows.ts';
import type { Collection } from '../../storage/collection.ts';
import type { Database } from '../../storage/database.ts';
import { type Scored, type ScoredRows, scoredRows } from '../scored.ts';
import { check } from '../vector/request.ts';
import type { Clause } from './clause.ts';
import type { SearchRequest } from './request.ts';
import { resolve } from './resolve.ts';
import type { Segment } from './segment.ts';

interface Hit {
  row: number;
  score: number;
}

/** Best score first, equal scores by insertion. Only as many rows are ordered as a limit that follows asks for. */
export function openSearch(
  database: Database,
  collection: Collection,
  request: SearchRequest,
  query: Query,
): ScoredRows {
  const index = collection.searchIndexes.find((one) => one.name === request.index);
  check(index?.type !== 'vectorSearch', `Cannot execute $search over vectorSearch index '${request.index}'`);
  // As on Atlas, a name that no index has gives an empty answer.
  if (!index) return scoredRows([], query);
  const { filter, skip, limit } = query;
  const isCut = limit > 0 && filter.op === 'and' && filter.filters.length === 0;
  const segments = index.segments();
  const clause = resolve({ index, segments }, request.operator);
  return scoredRows(documentsOf(database, collection, best(segments, clause, isCut ? skip + limit : Infinity)), query);
}

function best(segments: readonly Segment[], clause: Clause, wanted: number): Hit[] {
  let held: Hit[] = [];
  let least = -1;
  const order = (): void => {
    held = held.toSorted((a, b) => b.score - a.score || a.row - b.row).slice(0, wanted);
  };
  for (const [at, segment] of segments.entries()) {
    const { hit, score } = clause(at) ?? { hit: [], score: 0 };
    for (let number = 0; number < hit.length; number++) {
      if (hit[number] === 0 || segment.dead?.[number] === 1) continue;
      const own = typeof score === 'number' ? score : (score[number] as number);
      if (own < least) continue;
      held.push({ row: segment.rowAt(number), score: own });
      if (held.length < wanted * 2 + 100) continue;
      order();
      least = held[wanted - 1]?.score ?? -1;
    }
  }
  order();
  return held;
}

function* documentsOf(database: Database, collection: Collection, hits: readonly Hit[]): Generator<Scored> {
  for (const { row: id, score } of hits) {
    database.tick();
    const bytes = collection.get(id);
    if (bytes) yield { id, bytes, score };
  }
}
