import { type Document, fieldOf, isObject } from '../bson/value.ts';
import type { Filter, Predicate } from './filter.ts';
import { matches, matchesAt, passes } from './match.ts';
import { isArrayIndex, type Parts } from './path.ts';

/**
 * The element that the positional `$` stands for: in the outermost array on the way to a value that the filter matched. Where
 * the filter met several arrays, the one on the given path counts, and else the last.
 */
export function positionOf(filter: Filter, doc: Document, path: Parts): number | undefined {
  const found: { array: string; index: number }[] = [];
  collect(filter, doc, found);
  const whole = path.join('.');
  const own = found.findLast(({ array }) => array === whole || whole.startsWith(`${array}.`));
  return (own ?? found.at(-1))?.index;
}

function collect(filter: Filter, doc: Document, found: { array: string; index: number }[]): void {
  if (filter.op === 'and') for (const inner of filter.filters) collect(inner, doc, found);
  else if (filter.op === 'or') {
    const first = filter.filters.find((inner) => matches(inner, doc));
    if (first) collect(first, doc, found);
  } else if (filter.op === 'field') {
    const items = filter.predicate.op === 'all' ? filter.predicate.items : [filter.predicate];
    for (const item of items) locate(doc, filter.parts, item, found);
  }
}

function locate(doc: Document, parts: Parts, predicate: Predicate, found: { array: string; index: number }[]): void {
  if (predicate.op === 'not') return;
  let value: unknown = doc;
  let depth = 0;
  while (depth < parts.length && isObject(value)) value = fieldOf(value, parts[depth++] as string);
  if (!Array.isArray(value)) return;
  const rest = parts.slice(depth);
  const [next] = rest;
  const index =
    next !== undefined && isArrayIndex(next) && matchesAt(value[Number(next)], rest.slice(1), predicate)
      ? Number(next)
      : value.findIndex((item) => elementPasses(item, rest, predicate));
  if (index >= 0) found.push({ array: parts.slice(0, depth).join('.'), index });
}

export function elementPasses(item: unknown, rest: Parts, predicate: Predicate): boolean {
  if (rest.length > 0) return isObject(item) && matchesAt(item, rest, predicate);
  if (predicate.op === 'elemMatch') return isObject(item) && matches(predicate.filter, item);
  if (predicate.op === 'elemIs') return predicate.items.every((inner) => passes(inner, item));
  return predicate.op !== 'exists' && predicate.op !== 'size' && passes(predicate, item);
}
