import { Long } from 'bson';
import { type Document, fieldOf, isObject } from '../bson/value.ts';
import { checkPath } from '../expression/expression.ts';
import { argumentsOf, nullish, rowOf, textOf } from '../expression/operator.ts';
import { CommandError } from '../errors.ts';
import { parseFilter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import {
  type Context,
  type Stage,
  stageCount,
  stageEntry,
  stageObject,
  type StageParser,
  withValue,
} from './context.ts';
import { countStages, group } from './group.ts';
import { lookup } from './join.ts';
import { SHAPES } from './shape.ts';
import { parseOrder, sorting } from './sort.ts';
import { merge, out } from './write.ts';

const STAGES: Readonly<Record<string, StageParser>> = {
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
  $lookup: lookup,
  $out: out,
  $merge: merge,
};

/** Stages that are valid only at the start or at the end of a pipeline. */
const FIRST = /^\$(?:search|vectorSearch|listSearchIndexes|documents|listLocalSessions)$/;
const LAST = /^\$(?:out|merge)$/;

/** The stages by name, `$count` written out, each in a place where it may stand. */
export function stageEntries(given: unknown, inLookup = false): [name: string, spec: unknown][] {
  if (!Array.isArray(given)) throw new CommandError(14, "'pipeline' option must be specified as an array");
  const entries = given.map(stageEntry);
  for (const [at, [name]] of entries.entries()) {
    const [first, last] = [FIRST.test(name), LAST.test(name)];
    if (inLookup && last) throw new CommandError(51047, `${name} is not allowed to be used within a $lookup stage`);
    if (first && at > 0) throw new CommandError(40602, `${name} is only valid as the first stage in a pipeline`);
    if (last && at < entries.length - 1)
      throw new CommandError(40601, `${name} can only be the final stage in the pipeline`);
  }
  return entries.flatMap(([name, spec]) => (name === '$count' ? countStages(spec).map(stageEntry) : [[name, spec]]));
}

export function parseStages(entries: readonly [name: string, spec: unknown][], context: Context): Stage[] {
  return entries.map(([name, spec], at) => {
    if (name === '$sort')
      return sorting(parseOrder(spec, context.scope, context.collation), wantedAfter(entries.slice(at + 1)));
    const shape = rowOf(SHAPES, name)?.(spec, context.scope);
    if (shape) return (items) => Iterator.from(items).map(shape);
    const parse = rowOf(STAGES, name);
    if (!parse) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
    return parse(spec, context, name);
  });
}

/** Limit that the stages right after a `$sort` set. */
function wantedAfter([next, after]: readonly [name: string, spec: unknown][]): number {
  if (next?.[0] === '$limit') return stageCount(...next);
  return next?.[0] === '$skip' && after?.[0] === '$limit' ? stageCount(...next) + stageCount(...after) : Infinity;
}

function unwind(given: unknown): Stage {
  const whole = isObject(given) ? given : { path: given };
  const fields = 'path preserveNullAndEmptyArrays? includeArrayIndex?';
  const spec = argumentsOf(whole, fields, '$unwind', [28811, 28812]);
  const { preserveNullAndEmptyArrays: preserve = false, includeArrayIndex } = spec;
  const path = textOf(spec['path'], 28808, 'the path of $unwind');
  if (!path.startsWith('$'))
    throw new CommandError(28818, "path option to $unwind stage should be prefixed with a '$'");
  if (typeof preserve !== 'boolean')
    throw new CommandError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  const index = includeArrayIndex === undefined ? undefined : textOf(includeArrayIndex, 28810, 'includeArrayIndex');
  if (index === '' || index?.startsWith('$'))
    throw new CommandError(index ? 28822 : 28810, 'includeArrayIndex must be a field name, without a $ before it');
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
      } else if (preserve || (!nullish(value) && !Array.isArray(value)))
        yield { doc: indexed(Array.isArray(value) ? withValue(doc, parts, undefined) : doc, null), meta };
    }
  };
}
