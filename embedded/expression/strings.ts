import type { BSONRegExp, Long } from 'bson';
import { type Document, Kind, kindOf } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { regexOf } from '../query/regex.ts';
import { typeName } from '../query/type-names.ts';
import { int32Of, isRegex, named, nullish, type Operator, operands, textOf } from './operator.ts';

const SPACES = '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

const COERCIBLE: ReadonlySet<number> = new Set([
  Kind.string,
  Kind.symbol,
  Kind.int,
  Kind.long,
  Kind.double,
  Kind.decimal,
]);

/** Numbers and dates become text; null and missing the empty one. */
function coerced(value: unknown): string {
  if (nullish(value)) return '';
  if (value instanceof Date) return value.toISOString();
  if (COERCIBLE.has(kindOf(value))) return (value as string | number | Long).toString();
  throw new MongoFault(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

/** By bytes of UTF-8, which neither end may cut through a character. */
function substrBytes([value, from, count]: unknown[], name: string): string {
  const bytes = Buffer.from(coerced(value));
  const start = int32Of(from, 16034, `${name}: starting index`);
  const length = int32Of(count, 16035, `${name}: length`);
  if (start < 0) throw new MongoFault(50752, `${name}: starting index must be non-negative (got: ${start})`);
  const end = length < 0 ? bytes.length : Math.min(bytes.length, start + length);
  const inside = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  if (inside(start))
    throw new MongoFault(28656, `${name}: Invalid range, starting index is a UTF-8 continuation byte.`);
  if (inside(end))
    throw new MongoFault(28657, `${name}: Invalid range, ending index is in the middle of a UTF-8 character.`);
  return bytes.toString('utf8', Math.min(start, bytes.length), Math.max(start, end));
}

function substrCP([value, from, count]: unknown[], name: string): string {
  const start = int32Of(from, 34450, `${name}: starting index`);
  const length = int32Of(count, 34452, `${name}: length`);
  if (start < 0) throw new MongoFault(34451, `${name}: starting index must be a non-negative integer.`);
  if (length < 0) throw new MongoFault(34454, `${name}: length must be a nonnegative integer.`);
  return Array.from(coerced(value))
    .slice(start, start + length)
    .join('');
}

/** The place of a text in another, counted in the units the split gives. */
function indexOf(
  units: (text: string) => ArrayLike<unknown> & { slice(from: number, to: number): unknown },
  join: (part: unknown) => string,
  code: number,
): Operator {
  return operands(2, 4, (values, name) => {
    const [text, part, from, to] = values;
    if (nullish(text)) return null;
    const all = units(textOf(text, code, `${name}'s first argument`));
    const wanted = textOf(part, code + 1, `${name}'s second argument`);
    const start = from === undefined ? 0 : boundary(from, `${name}'s starting index`);
    const end = Math.min(all.length, to === undefined ? all.length : boundary(to, `${name}'s ending index`));
    if (start > end) return -1;
    const window = join(all.slice(start, end));
    const at = window.indexOf(wanted);
    return at < 0 ? -1 : start + units(window.slice(0, at)).length;
  });
}

function boundary(value: unknown, what: string): number {
  const at = int32Of(value, 40096, what);
  if (at < 0) throw new MongoFault(40097, `${what} must be a nonnegative integral value, found: ${at}`);
  return at;
}

function trim(left: boolean, right: boolean): Operator {
  return named('input chars?', (given, name) => {
    const { input, chars } = given;
    if (nullish(input) || ('chars' in given && nullish(chars))) return null;
    const text = Array.from(textOf(input, 50699, `${name}'s input`));
    const drop = new Set(chars === undefined ? SPACES : textOf(chars, 50700, `${name}'s 'chars'`));
    const start = left ? text.findIndex((one) => !drop.has(one)) : 0;
    const end = right ? text.findLastIndex((one) => !drop.has(one)) + 1 : text.length;
    return start < 0 ? '' : text.slice(start, end).join('');
  });
}

function replace(run: (input: string, find: string, replacement: string) => string): Operator {
  return named('input find replacement', ({ input, find, replacement }, name) => {
    for (const [value, code, what] of [
      [input, 51746, 'input'],
      [find, 51745, 'find'],
      [replacement, 51744, 'replacement'],
    ] as const)
      if (!nullish(value)) textOf(value, code, `${name}'s '${what}'`);
    if (nullish(input) || nullish(find) || nullish(replacement)) return null;
    return run(input as string, find as string, replacement as string);
  });
}

function regex(answer: (found: Iterable<RegExpExecArray>, text: string) => unknown, none: unknown): Operator {
  return named('input regex options?', ({ input, regex: pattern, options }, name) => {
    if (!nullish(input)) textOf(input, 51104, `${name} needs 'input' to be of type string: it`);
    if (!nullish(pattern) && !isRegex(pattern))
      textOf(pattern, 51105, `${name} needs 'regex' to be of type string or regex: it`);
    if (!nullish(options)) textOf(options, 51106, `${name} needs 'options' to be of type string: it`);
    if (isRegex(pattern) && (pattern as BSONRegExp).options !== '' && !nullish(options))
      throw new MongoFault(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
    if (nullish(input) || nullish(pattern)) return none;
    const compiled = regexOf(pattern, options ?? undefined).pattern;
    if (!compiled.test(input as string)) return none;
    const { source, flags } = compiled instanceof RegExp ? compiled : (compiled.matcher ?? new RegExp(''));
    return answer((input as string).matchAll(new RegExp(source, `${flags}g`)), input as string);
  });
}

function described(match: RegExpExecArray, text: string): Document {
  const idx = Array.from(text.slice(0, match.index)).length;
  return { match: match[0], idx, captures: match.slice(1).map((one) => one ?? null) };
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** ASCII letters only, as in MongoDB. */
const upper = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

export const STRINGS: Readonly<Record<string, Operator>> = {
  $concat: operands(0, Infinity, (values, name) => {
    let text = '';
    for (const value of values) {
      if (nullish(value)) return null;
      if (typeof value !== 'string')
        throw new MongoFault(16702, `${name} only supports strings, not ${typeName(value)}`);
      text += value;
    }
    return text;
  }),
  $toLower: operands(1, 1, ([value]) => coerced(value).replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  $toUpper: operands(1, 1, ([value]) => upper(coerced(value))),
  $substr: operands(3, 3, substrBytes),
  $substrBytes: operands(3, 3, substrBytes),
  $substrCP: operands(3, 3, substrCP),
  $strLenBytes: operands(1, 1, ([value], name) => Buffer.byteLength(textOf(value, 34473, `${name}'s argument`))),
  $strLenCP: operands(1, 1, ([value], name) => Array.from(textOf(value, 34471, `${name}'s argument`)).length),
  $strcasecmp: operands(2, 2, ([a, b]) => compared(upper(coerced(a)), upper(coerced(b)))),
  $split: operands(2, 2, ([text, delimiter], name) => {
    if (nullish(text) || nullish(delimiter)) return null;
    textOf(text, 40085, `${name}'s first argument`);
    if (textOf(delimiter, 40086, `${name}'s second argument`) === '')
      throw new MongoFault(40087, `${name} requires a non-empty separator`);
    return (text as string).split(delimiter as string);
  }),
  $indexOfCP: indexOf(Array.from, (part) => (part as string[]).join(''), 40093),
  $indexOfBytes: indexOf(
    (text) => Buffer.from(text),
    (part) => (part as Buffer).toString(),
    40091,
  ),
  $trim: trim(true, true),
  $ltrim: trim(true, false),
  $rtrim: trim(false, true),
  $replaceOne: replace((input, find, replacement) => input.replace(find, () => replacement)),
  $replaceAll: replace((input, find, replacement) => input.replaceAll(find, () => replacement)),
  $regexMatch: regex(() => true, false),
  $regexFind: regex(([first], text) => first && described(first, text), null),
  $regexFindAll: regex((found, text) => Array.from(found, (match) => described(match, text)), []),
};
