import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import type { Filter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import type { Parts } from '../query/path.ts';
import { positionOf } from '../query/position.ts';
import { valueAt } from './place.ts';

/** `$`, `$[]` and `$[name]` stand for elements that only the document decides. */
export function isDynamic(part: string): boolean {
  return part === '$' || (part.startsWith('$[') && part.endsWith(']'));
}

export function checkDynamic(path: string, parts: Parts, arrayFilters: ReadonlyMap<string, Filter>): void {
  const [first = ''] = parts;
  if (isDynamic(first)) {
    const what = first === '$' ? "positional (i.e. '$') element" : "array filter identifier (i.e. '$[<id>]') element";
    throw new MongoFault(2, `Cannot have ${what} in the first position in path '${path}'`);
  }
  if (parts.indexOf('$') !== parts.lastIndexOf('$'))
    throw new MongoFault(2, `Too many positional (i.e. '$') elements found in path '${path}'`);
  for (const part of parts.filter(isDynamic)) {
    const name = part.slice(2, -1);
    if (name !== '' && !arrayFilters.has(name))
      throw new MongoFault(2, `No array filter found for identifier '${name}' in path '${path}'`);
  }
}

/** The places in this document that a path stands for. */
export function expandParts(
  parts: Parts,
  doc: Document,
  by: { filter: Filter; arrayFilters: ReadonlyMap<string, Filter> },
): Parts[] {
  const at = parts.indexOf('$');
  if (at < 0) return expand(doc, [], parts, by.arrayFilters);
  const index = positionOf(by.filter, doc, parts.slice(0, at));
  if (index === undefined)
    throw new MongoFault(2, 'The positional operator did not find the match needed from the query.');
  return expand(doc, [], parts.with(at, String(index)), by.arrayFilters);
}

function expand(
  value: unknown,
  done: Parts,
  [part, ...rest]: Parts,
  arrayFilters: ReadonlyMap<string, Filter>,
): Parts[] {
  if (part === undefined) return [done];
  if (!isDynamic(part)) {
    // Nothing beyond needs the document.
    if (!rest.some(isDynamic)) return [[...done, part, ...rest]];
    const inner = valueAt(value, [part]);
    return expand(inner, [...done, part], rest, arrayFilters);
  }
  const where = done.join('.');
  if (value === undefined)
    throw new MongoFault(2, `The path '${where}' must exist in the document in order to apply array updates.`);
  if (!Array.isArray(value)) throw new MongoFault(2, `Cannot apply array updates to non-array element ${where}`);
  const name = part.slice(2, -1);
  const filter = arrayFilters.get(name);
  return value.flatMap((item, index) =>
    filter && !matches(filter, { [name]: item }) ? [] : expand(item, [...done, String(index)], rest, arrayFilters),
  );
}
