import { decodeOnly } from '../bson/decode.ts';
import type { Document } from '../bson/value.ts';
import { planQuery } from '../plan/planner.ts';
import { eachRow, type Query } from '../plan/rows.ts';
import { IndexWalk } from '../plan/scan.ts';
import { compare } from '../query/compare.ts';
import { rootsOf } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import { someAt } from '../query/path.ts';
import type { SortField } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { KeyWriter, successor } from '../storage/key.ts';
import { queryOf } from './query.ts';
import * as field from './fields.ts';
import { collectionOf, command } from './request.ts';

export const distinct = command({
  fields: { key: field.needed(field.text), query: field.object, ...field.QUERY_OPTIONS },
  run: (request, { key, query: filter, collation: by, ...options }) => {
    const { database } = request.engine;
    const query = queryOf({ ...options, filter, collation: by });
    const collection = collectionOf(request);
    const order: SortField = { path: key, parts: key.split('.'), descending: false, ...(by && { collate: by }) };
    const values = collection ? [...distinctValues(database, collection, query, order)].toSorted(by ?? compare) : [];
    // Values that are equal under the collation count once: the first one is returned.
    return { values: by ? values.filter((value, at) => at === 0 || by(values[at - 1], value) !== 0) : values, ok: 1 };
  },
});

/** After this many rows that brought nothing new it pays to look up where the next value begins. */
const PATIENCE = 8;

function distinctValues(database: Database, collection: Collection, query: Query, by: SortField): Iterable<unknown> {
  const { path, parts } = by;
  const found = new Map<string, unknown>();
  const collect = (doc: Document): boolean => {
    let any = false;
    someAt(doc, parts, false, (leaf) => {
      any ||= leaf !== undefined;
      for (const value of Array.isArray(leaf) ? leaf : [leaf]) {
        if (value !== undefined) found.set(new KeyWriter().add(value).finish().toString('latin1'), value);
      }
      return false;
    });
    return any;
  };
  const plan = planQuery(collection, { ...query, sort: [by] });
  const fields = plan.kind === 'index' ? plan.index.fields.findIndex((one) => one.path === path) + 1 : 0;
  if (plan.kind !== 'index' || fields === 0 || !plan.sorted || plan.walks.length > 1 || plan.index.multikey !== 0) {
    const roots = new Set([parts[0] as string]);
    for (const row of eachRow(database, collection, query)) collect(decodeOnly(row.bytes, roots));
    return found.values();
  }
  const { index } = plan;
  const walk = new IndexWalk(database, collection, { ...plan, backward: false }, 0);
  const roots = new Set([...rootsOf(query.filter), ...index.fields.map((one) => one.parts[0] as string)]);
  let barren = 0;
  try {
    for (let row = walk.next(); row; row = walk.next()) {
      const doc = decodeOnly(row.bytes, roots);
      if (!matches(query.filter, doc)) continue;
      const { size } = found;
      // A missing field stands at the key of null, which another document may have.
      barren = collect(doc) && found.size === size ? barren + 1 : 0;
      if (barren < PATIENCE) continue;
      walk.pause();
      walk.place = { ...walk.place, key: successor(index.encode(index.tuplesOf(doc, fields)[0] ?? [])), row: -1 };
    }
  } finally {
    walk.pause();
  }
  return found.values();
}
