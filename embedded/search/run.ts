import { decode } from '../bson/value.ts';
import { matches } from '../query/match.ts';
import type { Query, Rows } from '../plan/rows.ts';
import { eachRow } from '../plan/rows.ts';
import type { Row } from '../plan/scan.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { type Clause, resolve } from './clause.ts';
import type { SearchRequest } from './request.ts';

type Scored = Row & { score: number };

/** Best score first, equal scores by insertion. A limit that follows ends the work as soon as it is filled. */
export function openSearch(
  database: Database,
  collection: Collection,
  request: SearchRequest,
  query: Query,
): Rows & { score(): number } {
  const index = collection.searchIndexes.find((one) => one.name === request.index);
  // As on Atlas, a name that no index has gives an empty answer.
  const found = index ? ranked(database, collection, resolve(index, request.operator)) : [];
  const wanted = Iterator.from(found).filter((row) =>
    query.filter.op === 'and' && query.filter.filters.length === 0 ? true : matches(query.filter, decode(row.bytes)),
  );
  const cut = wanted.drop(query.skip);
  const rows = query.limit > 0 ? cut.take(query.limit) : cut;
  let score = 0;
  return {
    next: () => {
      const step = rows.next();
      if (step.done) return undefined;
      score = step.value.score;
      return step.value;
    },
    pause: () => undefined,
    score: () => score,
  };
}

function* ranked(database: Database, collection: Collection, clause: Clause): Generator<Scored> {
  if (clause.rows && clause.final) {
    const order = [...clause.rows]
      .map((id) => ({ id, rank: clause.rank(id) }))
      .toSorted((a, b) => b.rank - a.rank || a.id - b.id);
    for (const { id, rank } of order) {
      const bytes = collection.get(id);
      if (bytes && (!clause.reads ? clause.check(id, {}) : clause.check(id, decode(bytes))) !== undefined)
        yield { id, bytes, score: rank };
    }
    return;
  }
  const scored: Scored[] = [];
  for (const { id, bytes } of candidates(database, collection, clause)) {
    const score = clause.check(id, decode(bytes));
    if (score !== undefined) scored.push({ id, bytes, score });
  }
  yield* scored.toSorted((a, b) => b.score - a.score || a.id - b.id);
}

function* candidates(database: Database, collection: Collection, clause: Clause): Generator<Row> {
  if (!clause.rows) {
    yield* eachRow(database, collection, { filter: { op: 'and', filters: [] }, sort: [], skip: 0, limit: 0 });
    return;
  }
  for (const id of clause.rows) {
    const bytes = collection.get(id);
    if (bytes) yield { id, bytes };
  }
}
