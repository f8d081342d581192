import { fieldsOf, isObject } from '../bson/value.ts';
import { type Item, parseExpression, type Scope } from '../expression/expression.ts';
import { CommandError } from '../errors.ts';
import type { Compare } from '../query/compare.ts';
import { compareKeys, parseSort, type SortField, sortKey } from '../query/sort.ts';
import { bytesOf, Memory, type Stage, stageObject } from './context.ts';

interface Order {
  fields: readonly SortField[];
  key: (item: Item) => unknown[];
}

/** The order of a `$sort`, by fields and by what `$meta` names, of which the greatest comes first. */
export function parseOrder(spec: unknown, scope: Scope, collate?: Compare): Order {
  const entries = fieldsOf(stageObject('$sort', spec)).map(([path, way]) =>
    isObject(way) && '$meta' in way
      ? { meta: parseExpression(way, scope), field: { path, parts: [path], descending: true } }
      : { field: parseSort({ [path]: way }, collate)[0] as SortField },
  );
  if (entries.length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
  const plain = entries.filter((entry) => !entry.meta).map(({ field }) => field);
  const key = ({ doc }: Item): unknown[] => (plain.length > 0 ? sortKey(doc, plain) : []);
  const mixed = (item: Item): unknown[] => {
    const values = key(item).values();
    return entries.map(({ meta }) => (meta ? meta(item) : values.next().value));
  };
  return { fields: entries.map(({ field }) => field), key: plain.length === entries.length ? key : mixed };
}

/** Sorts in memory. With a limit it holds at most a few times that many documents. */
export function sorting({ fields, key }: Order, wanted: number, name = '$sort'): Stage {
  return function* (items) {
    const memory = new Memory(name);
    let held: { item: Item; key: unknown[]; size: number }[] = [];
    const settle = (): void => {
      held = held.toSorted((a, b) => compareKeys(a.key, b.key, fields)).slice(0, wanted);
    };
    for (const item of items) {
      const size = bytesOf(item).length;
      memory.add(size);
      held.push({ item, key: key(item), size });
      if (held.length < wanted * 2 + 1000) continue;
      settle();
      memory.clear();
      for (const one of held) memory.add(one.size);
    }
    settle();
    for (const { item } of held) yield item;
  };
}
