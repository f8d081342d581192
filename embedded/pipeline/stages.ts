import { Int32, Long } from 'bson';
import { type Document, fieldOf, fieldsOf, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { parseFilter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import { parseProjection, projectDocument } from '../query/project.ts';
import { compareKeys, parseSort, sortKey } from '../query/sort.ts';
import { setAt, valueAt } from '../update/place.ts';
import { parseExpression, type Item } from '../expression/expression.ts';
import { groupStage } from './group.ts';

export type Stage = (items: Iterable<Item>) => Iterable<Item>;

/** The stages that run on parsed documents, wherever they stand in a pipeline. */
const STAGES: Readonly<Record<string, (spec: unknown) => Stage>> = {
  $match: (spec) => {
    const filter = parseFilter(stageObject('$match', spec));
    return (items) => Iterator.from(items).filter((item) => matches(filter, item.doc));
  },
  $sort: (spec) => {
    const fields = parseSort(stageObject('$sort', spec));
    return function* (items) {
      const keyed = [...items].map((item) => ({ item, key: sortKey(item.doc, fields) }));
      keyed.sort((a, b) => compareKeys(a.key, b.key, fields));
      for (const { item } of keyed) yield item;
    };
  },
  $skip: (spec) => (items) => Iterator.from(items).drop(stageCount('$skip', spec)),
  $limit: (spec) => (items) => Iterator.from(items).take(stageCount('$limit', spec)),
  $project: projectStage,
  $addFields: addFieldsStage,
  $set: addFieldsStage,
  $unset: (spec) => {
    const paths = Array.isArray(spec) ? spec : [spec];
    return projectStage(Object.fromEntries(paths.map((path) => [String(path), 0])));
  },
  $group: groupStage,
  $count: (spec) => {
    if (typeof spec !== 'string' || spec === '' || /[$.\0]/.test(spec)) {
      throw new MongoFault(40156, 'the count field must be a non-empty string without $, . or null bytes');
    }
    return function* (items) {
      let count = 0;
      for (const _item of items) count++;
      if (count > 0) yield { doc: { [spec]: new Int32(count) }, score: undefined };
    };
  },
  $unwind: unwindStage,
};

export function parseStage(stage: unknown): Stage {
  const [name, spec] = stageEntry(stage);
  const parse = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
  if (!parse) throw new MongoFault(40324, `Unrecognized pipeline stage name: '${name}'`);
  return parse(spec);
}

export function stageEntry(stage: unknown): [name: string, spec: unknown] {
  const entries = isObject(stage) ? Object.entries(stage) : [];
  if (entries.length !== 1)
    throw new MongoFault(40323, 'A pipeline stage specification object must contain exactly one field.');
  return entries[0] as [string, unknown];
}

export function stageObject(name: string, spec: unknown): Document {
  if (!isObject(spec)) throw new MongoFault(15959, `the ${name} specification must be an object`);
  return spec;
}

export function stageCount(name: string, spec: unknown): number {
  const count = isNumeric(kindOf(spec)) ? Number(numeric(spec)) : NaN;
  if (!Number.isInteger(count) || count < 0)
    throw new MongoFault(5107201, `invalid argument to ${name} stage: Expected a non-negative integer`);
  if (name === '$limit' && count === 0) throw new MongoFault(15958, 'the limit must be positive');
  return count;
}

/** Inclusion and exclusion as in find; computed fields make it an inclusion. */
function projectStage(spec: unknown): Stage {
  const fields = Object.entries(stageObject('$project', spec));
  if (fields.length === 0)
    throw new MongoFault(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  const isComputed = (value: unknown): boolean => !isNumeric(kindOf(value)) && typeof value !== 'boolean';
  const computed = fields
    .filter(([, value]) => isComputed(value))
    .map(([path, value]) => [path.split('.'), parseExpression(value)] as const);
  const plain = Object.fromEntries(fields.filter(([, value]) => !isComputed(value)));
  const projection = parseProjection(plain);
  if (computed.length > 0 && projection && !projection.include && Object.keys(plain).some((path) => path !== '_id')) {
    throw new MongoFault(31252, 'Cannot use expression other than $meta in exclusion projection');
  }
  const include =
    computed.length > 0
      ? { include: true, tree: projection?.tree ?? new Map(), id: projection?.id ?? true }
      : projection;
  return (items) =>
    Iterator.from(items).map((item) => {
      const doc = include ? projectDocument(item.doc, include) : {};
      for (const [parts, expression] of computed) {
        const value = expression(item);
        if (value !== undefined) setAt(doc, parts, value);
      }
      return { doc, score: item.score };
    });
}

function addFieldsStage(spec: unknown): Stage {
  const fields = fieldsOf(stageObject('$addFields', spec)).map(
    ([path, value]) => [path.split('.'), parseExpression(value)] as const,
  );
  return (items) =>
    Iterator.from(items).map((item) => {
      const doc = structuredCopy(item.doc) as Document;
      for (const [parts, expression] of fields) {
        const value = expression(item);
        if (value !== undefined) setAt(doc, parts, value);
      }
      return { doc, score: item.score };
    });
}

/** Containers are copied, values are shared: an added field must not show in a document another stage still holds. */
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy);
  return isObject(value)
    ? Object.fromEntries(fieldsOf(value).map(([name, inner]) => [name, structuredCopy(inner)]))
    : value;
}

function unwindStage(spec: unknown): Stage {
  const {
    path,
    preserveNullAndEmptyArrays = false,
    includeArrayIndex,
    ...rest
  } = isObject(spec) ? spec : { path: spec };
  const [unknown] = Object.keys(rest);
  if (unknown) throw new MongoFault(28811, `unrecognized option to $unwind stage: ${unknown}`);
  if (typeof path !== 'string' || !path.startsWith('$') || path.length < 2) {
    throw new MongoFault(28818, "path option to $unwind stage should be prefixed with a '$'");
  }
  const parts = path.slice(1).split('.');
  const indexParts = typeof includeArrayIndex === 'string' ? includeArrayIndex.split('.') : undefined;
  return function* (items) {
    for (const item of items) {
      const value = parts.length === 1 ? fieldOf(item.doc, path.slice(1)) : valueAt(item.doc, parts);
      const isArray = Array.isArray(value);
      const elements: unknown[] = isArray ? value : value === undefined || value === null ? [] : [value];
      if (elements.length === 0 && preserveNullAndEmptyArrays === true) elements.push(isArray ? undefined : value);
      for (const [at, element] of elements.entries()) {
        const doc = structuredCopy(item.doc) as Document;
        setAt(doc, parts, element);
        if (indexParts) setAt(doc, indexParts, isArray && value.length > 0 ? Long.fromNumber(at) : null);
        yield { doc, score: item.score };
      }
    }
  };
}
