import { decodeOnly } from '../bson/decode.ts';
import { fieldsOf, isObject } from '../bson/value.ts';
import { type Item, parseExpression, readsOf } from '../expression/expression.ts';
import { rowOf } from '../expression/operator.ts';
import { CommandError } from '../errors.ts';
import type { Results } from '../plan/cursors.ts';
import { countRows, openRows, type Query, type Rows } from '../plan/rows.ts';
import { checkCollatedStage } from '../query/collation.ts';
import { type Filter, parseFilter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import { describeSearchIndexes } from '../search/search-index.ts';
import type { Scored } from '../search/scored.ts';
import { SOURCES } from '../search/sources.ts';
import { type Context, type Pipeline, bytesOf, stageCount, stageObject, storedItem } from './context.ts';
import { parseOrder } from './sort.ts';
import { parseStages, stageEntries } from './stages.ts';

type Read = (collection: string) => Iterable<Item>;
type Entry = [name: string, spec: unknown];

/** First stages that do not read the collection's documents. */
const READERS: Readonly<Record<string, (spec: unknown, context: Context) => Read>> = {
  $documents: (spec, { scope }) => {
    const documents = parseExpression(spec, scope)({ doc: {} });
    if (!Array.isArray(documents) || !documents.every(isObject))
      throw new CommandError(5858203, 'error during evaluation of $documents: an array of documents is expected');
    return () => documents.map((doc) => ({ doc }));
  },
  $listSearchIndexes: (spec, { engine, db }) => {
    return (name) =>
      describeSearchIndexes(engine.catalog.find(db, name)?.searchIndexes ?? [], spec).map((doc) => ({ doc }));
  },
  $listLocalSessions: (_spec, { session }) => {
    return () => [{ doc: { _id: session, lastUse: new Date() } }];
  },
};

/** Stages that read no collection, for an aggregate on the database. */
export const DATABASE_STAGES: readonly string[] = ['$documents', '$listLocalSessions'];

/** Names of the search scores in `$meta`. */
const SCORES: Readonly<Record<string, string>> = { $search: 'searchScore', $vectorSearch: 'vectorSearchScore' };

/** Parses what MongoDB refuses before it reads anything; `context` has what the stages share. */
export function parsePipeline(given: unknown, context: Context, hint?: unknown): Pipeline {
  const entries = stageEntries(given, context.inLookup);
  const [head = '', spec] = entries[0] ?? [];
  const search = rowOf(SOURCES, head)?.(stageObject(head, spec));
  const read = rowOf(READERS, head)?.(spec, context);
  const query: Query = { filter: { op: 'and', filters: [] }, sort: [], skip: 0, limit: 0, hint };
  let at = search || read ? 1 : 0;
  if (!read) while (at < entries.length && pushDown(query, entries[at] as Entry, context, search !== undefined)) at++;
  const late = entries.slice(at);
  const stages = parseStages(late, context);
  if (context.collation) entries.forEach(checkCollatedStage);
  const reads = readBy(late);
  const { engine, db } = context;
  return {
    query,
    open: (name, first) => {
      const collection = engine.catalog.find(db, name);
      const whole = first ? { ...query, filter: both(first, query.filter) } : query;
      let items: Iterable<Item> = [];
      if (read) items = read(name);
      else if (collection && search) {
        const found = search(engine.database, collection, { ...whole, onlyId: readsOnlyId(late) });
        items = scoredItems(found, SCORES[head] ?? '');
      } else if (collection && reads?.size === 0) items = counted(countRows(engine.database, collection, whole));
      else if (collection) items = stored(openRows(engine.database, collection, whole), context, reads);
      if (read && first) items = Iterator.from(items).filter((item) => matches(first, item.doc));
      for (const stage of stages) items = stage(items);
      return items;
    },
  };
}

function both(first: Filter, second: Filter): Filter {
  return { op: 'and', filters: [first, second].flatMap((one) => (one.op === 'and' ? one.filters : [one])) };
}

/** Moves a leading stage into the query where that is equivalent. */
function pushDown(query: Query, [name, spec]: Entry, { scope, collation }: Context, searching: boolean): boolean {
  switch (name) {
    case '$match':
      if (query.skip > 0 || query.limit > 0) return false;
      query.filter = both(query.filter, parseFilter(stageObject(name, spec), scope, collation));
      return true;
    case '$sort':
      if (searching || query.sort.length > 0 || query.skip > 0 || query.limit > 0) return false;
      if (Object.values(stageObject(name, spec)).some(isObject)) return false;
      query.sort = parseOrder(spec, scope, collation).fields;
      return true;
    case '$skip':
      if (query.limit > 0) return false;
      query.skip += stageCount(name, spec);
      return true;
    case '$limit': {
      const limit = stageCount(name, spec);
      query.limit = query.limit === 0 ? limit : Math.min(query.limit, limit);
      return true;
    }
    default:
      return false;
  }
}

/** The fields that a `$group` reads through what stands before it: the others of its documents need not be parsed. */
function readBy(stages: readonly Entry[]): ReadonlySet<string> | undefined {
  const reads = new Set<string>();
  for (const [name, spec] of stages) {
    if (name !== '$group' && name !== '$unwind') break;
    readsOf(spec, reads);
    if (name === '$group') return reads;
  }
  return undefined;
}

/** True if the stages read nothing of a document but its `_id`, as those do that ask a search for ids and scores. */
function readsOnlyId(stages: readonly Entry[]): boolean {
  const [name, spec] = stages[0] ?? [];
  if (name !== '$project' || !isObject(spec)) return false;
  const isWanted = (value: unknown): boolean => isObject(value) && Object.keys(value).join() === '$meta';
  return fieldsOf(spec).every(([field, value]) => (field === '_id' ? value === 1 || value === true : isWanted(value)));
}

function* scoredItems(found: Iterable<Scored>, name: string): Generator<Item> {
  for (const one of found) {
    const meta = { [name]: one.score };
    yield 'bytes' in one ? storedItem(one.bytes, meta) : { doc: one.doc, meta };
  }
}

/** Yields an empty document for each row, for stages that read no field. */
function* counted(count: number): Generator<Item> {
  const item = { doc: {} };
  for (let at = 0; at < count; at++) yield item;
}

function* stored(rows: Rows, { reading }: Context, reads: ReadonlySet<string> | undefined): Generator<Item> {
  const parse = reads && ((bytes: Uint8Array) => decodeOnly(bytes, reads));
  reading.add(rows);
  try {
    for (let row = rows.next(); row; row = rows.next()) yield storedItem(row.bytes, undefined, parse);
  } finally {
    rows.pause();
    reading.delete(rows);
  }
}

/** The documents of a pipeline, drawn as a cursor asks for them. */
export function resultsOf(items: Iterable<Item>, { reading }: Context): Results {
  const iterator = items[Symbol.iterator]();
  return {
    next: () => {
      const step = iterator.next();
      return step.done ? undefined : bytesOf(step.value);
    },
    pause: () => {
      for (const rows of reading) rows.pause();
    },
  };
}
