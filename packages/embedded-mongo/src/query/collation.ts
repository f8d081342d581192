import { fieldsOf, isObject, Kind, kindOf } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { type Compare, compare } from './compare.ts';

/** The fields of a collation document that there is an equivalent for. */
export interface Collation {
  locale: string;
  strength?: number | undefined;
  caseLevel?: boolean | undefined;
  caseFirst?: string | undefined;
  numericOrdering?: boolean | undefined;
  alternate?: string | undefined;
  maxVariable?: string | undefined;
}

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  strength: [1, 2, 3, 4, 5],
  caseFirst: ['upper', 'lower', 'off'],
  alternate: ['non-ignorable', 'shifted'],
  maxVariable: ['punct', 'space'],
};

/** The order that a collation gives all values, `undefined` for the simple one. What `Intl` cannot do is refused. */
export function collating(spec: Collation): Compare | undefined {
  const { locale, strength = 3, caseLevel = false, caseFirst, numericOrdering, alternate, maxVariable } = spec;
  if (locale === 'simple') {
    if (Object.keys(spec).length === 1) return undefined;
    throw new CommandError(9, 'If locale=simple, no other fields should be present in a collation');
  }
  for (const [name, value] of Object.entries(spec)) {
    if (value !== undefined && CHOICES[name]?.includes(value) === false)
      throw new CommandError(2, `Enumeration value '${value}' for field 'collation.${name}' is not a valid value.`);
  }
  const tag = locale.replaceAll('_', '-');
  if (/@|_POSIX$/.test(locale)) throw notImplemented(`The collation locale '${locale}'`);
  if (
    !/^[a-z]{2,3}(_[A-Z][a-z]{3})?(_[A-Z]{2})?$/.test(locale) ||
    new Intl.Collator(tag).resolvedOptions().locale !== tag
  )
    throw new CommandError(2, `Field 'locale' is invalid in: { locale: "${locale}" }`);
  if (strength > 3 || (caseLevel && strength > 1) || alternate === 'shifted' || maxVariable === 'space')
    throw notImplemented('A collation with strength 4 or 5, caseLevel beyond strength 1, alternate or maxVariable');
  const collator = new Intl.Collator(tag, {
    sensitivity: caseLevel ? 'case' : (({ 1: 'base', 2: 'accent' } as const)[strength] ?? 'variant'),
    ...(caseFirst && { caseFirst: caseFirst === 'off' ? 'false' : (caseFirst as 'upper') }),
    ...(numericOrdering !== undefined && { numeric: numericOrdering }),
    ...(alternate && { ignorePunctuation: false }),
  });
  return (a, b) => compare(a, b, collator.compare);
}

const TEXTUAL: ReadonlySet<number> = new Set([Kind.string, Kind.symbol, Kind.object, Kind.array]);

/** True when an order of strings affects the value. */
export function mayHoldText(value: unknown): boolean {
  return TEXTUAL.has(kindOf(value));
}

const SHAPING = /^\$(?:project|set|addFields|replaceRoot|replaceWith)$/;
const SUMMING = /^\$sum$/;

/** Refuses the stage that would compare strings without their collation. */
export function checkCollatedStage([name, spec]: readonly [name: string, spec: unknown]): void {
  if (/^\$(?:match|sort|skip|limit|unwind)$/.test(name)) return;
  const isOneGroup = name === '$group' && isObject(spec) && !mayHoldText(spec['_id']);
  if (!isOneGroup && !SHAPING.test(name)) throw notImplemented(`${name} under a collation`);
  checkCollatedShape(spec, isOneGroup ? SUMMING : undefined);
}

/** Refuses expressions: their operators, but for these, compare by the simple collation, as the value of a variable may have been. */
export function checkCollatedShape(spec: unknown, but = /^\$meta$/): void {
  if (typeof spec === 'string' && spec.startsWith('$$')) throw notImplemented('A variable under a collation');
  if (Array.isArray(spec)) for (const inner of spec) checkCollatedShape(inner, but);
  else if (isObject(spec)) {
    for (const [name, inner] of fieldsOf(spec)) {
      if (name.startsWith('$') && !but.test(name)) throw notImplemented(`${name} under a collation`);
      checkCollatedShape(inner, but);
    }
  }
}

/** Refuses an update that compares what it changes. */
export function checkCollatedUpdate(change: unknown): void {
  if (Array.isArray(change)) checkCollatedShape(change, SHAPING);
  else if (isObject(change)) {
    for (const [name] of fieldsOf(change)) {
      if (name === '$min' || name === '$max' || name === '$pull') throw notImplemented(`${name} under a collation`);
    }
  }
}
