import { decode, type Document, encode } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import type { Answers } from '../plan/cursors.ts';
import { openRows, type Query, type Rows } from '../plan/rows.ts';
import { type Filter, parseFilter } from '../query/filter.ts';
import { parseSort } from '../query/sort.ts';
import { type OpenSource, SOURCES } from '../search/sources.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { Item } from '../expression/expression.ts';
import { parseStage, type Stage, stageCount, stageEntry, stageObject } from './stages.ts';

/** What a pipeline reads, as a query that the planner can use or a search, and the stages that follow on parsed documents. */
export interface Pipeline {
  query: Query;
  search: OpenSource | undefined;
  stages: Stage[];
}

export function parsePipeline(given: unknown, hint: unknown): Pipeline {
  if (!Array.isArray(given)) throw new MongoFault(14, "'pipeline' option must be specified as an array");
  const entries = given.map(stageEntry);
  const [head, spec] = entries[0] ?? [''];
  const search = sourceParser(head)?.(stageObject(head, spec));
  let at = search ? 1 : 0;
  const query: Query = { filter: { op: 'and', filters: [] }, sort: [], skip: 0, limit: 0, hint };
  while (at < entries.length && pushDown(query, entries[at] as [string, unknown], search !== undefined)) at++;
  const late = entries.slice(at);
  const misplaced = late.find(([name]) => sourceParser(name));
  if (misplaced) throw new MongoFault(40602, `${misplaced[0]} is only valid as the first stage in a pipeline`);
  return { query, search, stages: late.map(([name, spec]) => parseStage({ [name]: spec })) };
}

function sourceParser(name: string) {
  return Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
}

/** Takes a leading stage into the query where that means the same. */
function pushDown(query: Query, [name, spec]: [string, unknown], searching: boolean): boolean {
  switch (name) {
    case '$match': {
      if (query.skip > 0 || query.limit > 0) return false;
      const filters: Filter[] = [query.filter, parseFilter(stageObject(name, spec))];
      query.filter = {
        op: 'and',
        filters: filters.flatMap((filter) => (filter.op === 'and' ? filter.filters : [filter])),
      };
      return true;
    }
    case '$sort':
      if (searching || query.sort.length > 0 || query.skip > 0 || query.limit > 0) return false;
      query.sort = parseSort(stageObject(name, spec));
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

export function openPipeline(database: Database, collection: Collection | undefined, pipeline: Pipeline): Answers {
  const { query, search, stages } = pipeline;
  const rows: Rows & { score?: () => number } = !collection
    ? { next: () => undefined, pause: () => undefined }
    : search
      ? search(database, collection, query)
      : openRows(database, collection, query);
  const pause = (): void => rows.pause();
  if (stages.length === 0) return { next: () => rows.next()?.bytes, pause };
  let items: Iterable<Item> = itemsOf(rows);
  for (const stage of stages) items = stage(items);
  const iterator = items[Symbol.iterator]();
  return {
    next: () => {
      const step = iterator.next();
      return step.done ? undefined : encode(step.value.doc);
    },
    pause,
  };
}

function* itemsOf(rows: Rows & { score?: () => number }): Generator<Item> {
  for (let row = rows.next(); row; row = rows.next()) yield lazyItem(row.bytes, rows.score?.());
}

function lazyItem(bytes: Uint8Array, score: number | undefined): Item {
  let doc: Document | undefined;
  return {
    score,
    get doc() {
      return (doc ??= decode(bytes));
    },
  };
}
