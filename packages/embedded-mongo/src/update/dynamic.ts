import { CommandError, notImplemented } from '../errors.ts';
import type { Filter } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import type { Parts } from '../query/path.ts';
import { valueAt } from './place.ts';

/** True for `$[]` and `$[name]`, which are resolved for each document. The positional `$` is refused. */
export function isDynamic(part: string): boolean {
  return part.startsWith('$[') && part.endsWith(']');
}

export function checkDynamic(path: string, parts: Parts, arrayFilters: ReadonlyMap<string, Filter>): void {
  if (parts.includes('$')) throw notImplemented(`The positional operator $ (in '${path}')`);
  if (isDynamic(parts[0] ?? ''))
    throw new CommandError(
      2,
      `Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${path}'`,
    );
  for (const part of parts.filter(isDynamic)) {
    const name = part.slice(2, -1);
    if (name !== '' && !arrayFilters.has(name))
      throw new CommandError(2, `No array filter found for identifier '${name}' in path '${path}'`);
  }
}

/** The paths in this document that a path with `$[]` or `$[name]` stands for. */
export function expandParts(
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
    return expandParts(inner, [...done, part], rest, arrayFilters);
  }
  const where = done.join('.');
  if (value === undefined)
    throw new CommandError(2, `The path '${where}' must exist in the document in order to apply array updates.`);
  if (!Array.isArray(value)) throw new CommandError(2, `Cannot apply array updates to non-array element ${where}`);
  const name = part.slice(2, -1);
  const filter = arrayFilters.get(name);
  return value.flatMap((item, index) =>
    filter && !matches(filter, { [name]: item }) ? [] : expandParts(item, [...done, String(index)], rest, arrayFilters),
  );
}
