import { Long } from 'bson';
import { type Document, fieldOf, isObject } from '../bson/value.ts';
import { checkPath, type Item } from '../expression/expression.ts';
import { MongoFault } from '../fault.ts';
import { parseFilter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import {
  type Context,
  Memory,
  bytesOf,
  type Stage,
  stageCount,
  stageEntry,
  stageFields,
  stageObject,
  type StageParser,
  withValue,
} from './context.ts';
import { group, SHORTHANDS } from './group.ts';
import { facet, lookup, unionWith } from './join.ts';
import { SHAPES } from './shape.ts';
import { sortStage } from './sort.ts';
import { merge, out } from './write.ts';

const STAGES: Readonly<Record<string, StageParser>> = {
  ...Object.fromEntries(
    Object.entries(SHAPES).map(([name, parse]): [string, StageParser] => [
      name,
      (spec, { scope }) => {
        const shape = parse(spec, scope);
        return (items) => Iterator.from(items).map(shape);
      },
    ]),
  ),
  $match: (spec, { scope, collation }) => {
    const filter = parseFilter(stageObject('$match', spec), scope, collation);
    return (items) => Iterator.from(items).filter((item) => matches(filter, item.doc));
  },
  $skip: (spec) => {
    const count = stageCount('$skip', spec);
    return (items) => Iterator.from(items).drop(count);
  },
  $limit: (spec) => {
    const count = stageCount('$limit', spec);
    return (items) => Iterator.from(items).take(count);
  },
  $group: group,
  $unwind: unwind,
  $sample: sample,
  $lookup: lookup,
  $unionWith: unionWith,
  $facet: facet,
  $out: out,
  $merge: merge,
};

/** Where the stages may stand that may not stand anywhere. */
const PLACES: Readonly<Record<string, 'first' | 'last'>> = {
  $search: 'first',
  $vectorSearch: 'first',
  $rankFusion: 'first',
  $listSearchIndexes: 'first',
  $documents: 'first',
  $listLocalSessions: 'first',
  $out: 'last',
  $merge: 'last',
};

/** Codes of MongoDB for a stage that the inner pipeline of another may not hold. */
const NOT_INSIDE: Readonly<Record<string, number>> = { $facet: 40600, $lookup: 51047, $unionWith: 31441 };

/** The stages by name, with shorthands written out, each in a place where it may stand. */
export function stageEntries(given: unknown, inside?: string): [name: string, spec: unknown][] {
  if (!Array.isArray(given)) throw new MongoFault(14, "'pipeline' option must be specified as an array");
  const entries = given.map(stageEntry);
  for (const [at, [name]] of entries.entries()) {
    const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined;
    if (inside && (place === 'last' || (inside === '$facet' && (place || name === '$facet'))))
      throw new MongoFault(NOT_INSIDE[inside] ?? 40600, `${name} is not allowed to be used within a ${inside} stage`);
    if (place === 'first' && at > 0)
      throw new MongoFault(40602, `${name} is only valid as the first stage in a pipeline`);
    if (place === 'last' && at < entries.length - 1)
      throw new MongoFault(40601, `${name} can only be the final stage in the pipeline`);
  }
  return entries.flatMap((entry) => {
    const [name, spec] = entry;
    return Object.hasOwn(SHORTHANDS, name) ? (SHORTHANDS[name]?.(spec).map(stageEntry) ?? []) : [entry];
  });
}

export function parseStages(entries: readonly [name: string, spec: unknown][], context: Context): Stage[] {
  return entries.map(([name, spec], at) => {
    if (name === '$sort') return sortStage(spec, context, wantedAfter(entries.slice(at + 1)));
    const parse = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
    if (!parse) throw new MongoFault(40324, `Unrecognized pipeline stage name: '${name}'`);
    return parse(spec, context, name);
  });
}

/** How many documents the stages right after a `$sort` let through. */
function wantedAfter([next, after]: readonly [name: string, spec: unknown][]): number {
  if (next?.[0] === '$limit') return stageCount(...next);
  return next?.[0] === '$skip' && after?.[0] === '$limit' ? stageCount(...next) + stageCount(...after) : Infinity;
}

/** Each document is as likely as any other, in an order of no meaning. */
function sample(spec: unknown): Stage {
  const size = stageCount('$sample', stageFields('$sample', spec, 'size')['size']);
  if (size === 0) throw new MongoFault(28747, 'size argument to $sample must be a positive integer');
  return function* (items) {
    const memory = new Memory('$sample');
    const chosen: Item[] = [];
    let seen = 0;
    for (const item of items) {
      const place = Math.floor(Math.random() * ++seen);
      if (chosen.length < size) {
        memory.add(bytesOf(item).length);
        chosen.push(chosen[place] ?? item);
        chosen[place] = item;
      } else if (place < size) chosen[place] = item;
    }
    yield* chosen;
  };
}

function unwind(given: unknown): Stage {
  const spec = isObject(given) ? given : { path: given };
  const known = new Set(['path', 'preserveNullAndEmptyArrays', 'includeArrayIndex']);
  const unknown = Object.keys(spec).find((field) => !known.has(field));
  if (unknown) throw new MongoFault(28811, `unrecognized option to $unwind stage: ${unknown}`);
  const { path, preserveNullAndEmptyArrays: preserve = false, includeArrayIndex: index } = spec;
  if (path === undefined) throw new MongoFault(28812, 'no path specified to $unwind stage');
  if (typeof path !== 'string') throw new MongoFault(28808, 'expected a string as the path for $unwind stage');
  if (!path.startsWith('$')) throw new MongoFault(28818, "path option to $unwind stage should be prefixed with a '$'");
  if (typeof preserve !== 'boolean')
    throw new MongoFault(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  if (index !== undefined && (typeof index !== 'string' || index === ''))
    throw new MongoFault(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  if (index?.startsWith('$'))
    throw new MongoFault(28822, "includeArrayIndex option to $unwind stage should not be prefixed with a '$'");
  const parts = path.slice(1).split('.');
  checkPath(parts, path);
  const indexParts = index?.split('.');
  const indexed = (doc: Document, place: unknown): Document => (indexParts ? withValue(doc, indexParts, place) : doc);
  return function* (items) {
    for (const item of items) {
      const { doc, meta } = item;
      const value = parts.reduce<unknown>((at, part) => (isObject(at) ? fieldOf(at, part) : undefined), doc);
      if (Array.isArray(value) && value.length > 0) {
        for (const [at, element] of value.entries())
          yield { doc: indexed(withValue(doc, parts, element), Long.fromNumber(at)), meta };
      } else if (preserve || (value !== undefined && value !== null && !Array.isArray(value)))
        yield { doc: indexed(Array.isArray(value) ? withValue(doc, parts, undefined) : doc, null), meta };
    }
  };
}
