import { isNumeric, Kind, kindOf, numeric } from '../bson/value.ts';
import { CommandError } from '../errors.ts';

const NAMES: Readonly<Record<string, readonly number[]>> = {
  double: [Kind.double],
  string: [Kind.string],
  object: [Kind.object],
  array: [Kind.array],
  binData: [Kind.binary],
  objectId: [Kind.objectId],
  bool: [Kind.bool],
  date: [Kind.date],
  null: [Kind.null],
  regex: [Kind.regex],
  javascript: [Kind.code],
  javascriptWithScope: [Kind.scopedCode],
  undefined: [6],
  dbPointer: [12],
  symbol: [Kind.symbol],
  int: [Kind.int],
  timestamp: [Kind.timestamp],
  long: [Kind.long],
  decimal: [Kind.decimal],
  minKey: [Kind.minKey],
  maxKey: [Kind.maxKey],
  number: [Kind.int, Kind.double, Kind.long, Kind.decimal],
};
const CODES = new Set(Object.values(NAMES).flat());

/** The operand of `$type`: a name, a number, or an array of them. */
export function kindsOf(operand: unknown): ReadonlySet<number> {
  const kinds = new Set<number>();
  for (const item of Array.isArray(operand) ? operand : [operand]) {
    if (typeof item === 'string') {
      const named = NAMES[item];
      if (!named) throw new CommandError(2, `Unknown type name alias: ${item}`);
      for (const kind of named) kinds.add(kind);
    } else {
      const code = isNumeric(kindOf(item)) ? Number(numeric(item)) : NaN;
      if (!CODES.has(code)) throw new CommandError(2, `Invalid numerical type code: ${code}`);
      kinds.add(code);
    }
  }
  if (kinds.size === 0) throw new CommandError(9, '$type must match at least one type');
  return kinds;
}

const NAME_OF = new Map(
  Object.entries(NAMES).flatMap(([name, kinds]) => (kinds.length === 1 ? [[kinds[0], name]] : [])),
);

/** A value's type as MongoDB calls it in messages and in `$type`. */
export function typeName(value: unknown): string {
  return (value === undefined ? undefined : (NAME_OF.get(kindOf(value)) as string)) ?? 'missing';
}
