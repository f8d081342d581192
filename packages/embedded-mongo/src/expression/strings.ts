import type { BSONRegExp, Long } from 'bson';
import { Kind, kindOf } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { regexOf } from '../query/regex.ts';
import { typeName } from '../query/type-names.ts';
import { int32Of, isNumber, named, nullish, type Operator, operands, textOf } from './operator.ts';

const SPACES = '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

/** Numbers and dates become text; null and missing the empty one. */
function coerced(value: unknown): string {
  if (nullish(value)) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || isNumber(value) || kindOf(value) === Kind.symbol) return (value as Long).toString();
  throw new MongoFault(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

/** By bytes of UTF-8, which neither end may cut through a character. */
function substrBytes([value, from, count]: unknown[], name: string): string {
  const bytes = Buffer.from(coerced(value));
  const start = int32Of(from, 16034, `${name}: starting index`, [0, 50752]);
  const length = int32Of(count, 16035, `${name}: length`);
  const end = length < 0 ? bytes.length : Math.min(bytes.length, start + length);
  for (const [at, code] of [
    [start, 28656],
    [end, 28657],
  ] as const)
    if (((bytes[at] ?? 0) & 0xc0) === 0x80)
      throw new MongoFault(code, `${name}: Invalid range, it begins or ends in the middle of a UTF-8 character.`);
  return bytes.toString('utf8', Math.min(start, bytes.length), Math.max(start, end));
}

function substrCP([value, from, count]: unknown[], name: string): string {
  const start = int32Of(from, 34450, `${name}: starting index`, [0, 34451]);
  const length = int32Of(count, 34452, `${name}: length`, [0, 34454]);
  const text = coerced(value);
  // A text has at least as many units as code points: nothing of it is cut off.
  if (start === 0 && text.length <= length) return text;
  return Array.from(text)
    .slice(start, start + length)
    .join('');
}

/** The place of a text in another, counted in code points. */
function indexOf([text, part, from = 0, to]: unknown[], name: string): unknown {
  if (nullish(text)) return null;
  const all = Array.from(textOf(text, 40093, `${name}'s first argument`));
  const wanted = textOf(part, 40094, `${name}'s second argument`);
  const start = int32Of(from, 40096, `${name}'s starting index`, [0, 40097]);
  const end = to === undefined ? all.length : int32Of(to, 40096, `${name}'s ending index`, [0, 40097]);
  if (start > Math.min(end, all.length)) return -1;
  const window = all.slice(start, end).join('');
  const at = window.indexOf(wanted);
  return at < 0 ? -1 : start + Array.from(window.slice(0, at)).length;
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
    const texts = [input, find, replacement].map((value, at) =>
      nullish(value) ? undefined : textOf(value, 51746 - at, `Each operand of ${name}`),
    );
    const [text, part, instead] = texts;
    return text === undefined || part === undefined || instead === undefined ? null : run(text, part, instead);
  });
}

const regexMatch = named('input regex options?', ({ input, regex, options }, name) => {
  const isRegex = kindOf(regex) === Kind.regex;
  if (!nullish(input)) textOf(input, 51104, `${name}'s 'input'`);
  if (!nullish(regex) && !isRegex) textOf(regex, 51105, `${name}'s 'regex'`);
  if (!nullish(options)) textOf(options, 51106, `${name}'s 'options'`);
  if (isRegex && (regex as BSONRegExp).options !== '' && !nullish(options))
    throw new MongoFault(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
  return !nullish(input) && !nullish(regex) && regexOf(regex, options ?? undefined).pattern.test(input as string);
});

export const STRINGS: Readonly<Record<string, Operator>> = {
  $concat: operands(0, Infinity, (values, name) => {
    const end = values.findIndex(nullish);
    const texts = values
      .slice(0, end < 0 ? undefined : end)
      .map((value) => textOf(value, 16702, `Each operand of ${name}`));
    return end < 0 ? texts.join('') : null;
  }),
  // ASCII letters only, as in MongoDB.
  $toLower: operands(1, 1, ([value]) => coerced(value).replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  $toUpper: operands(1, 1, ([value]) => coerced(value).replace(/[a-z]+/g, (part) => part.toUpperCase())),
  $substr: operands(3, 3, substrBytes),
  $substrBytes: operands(3, 3, substrBytes),
  $substrCP: operands(3, 3, substrCP),
  $strLenCP: operands(1, 1, ([value], name) => Array.from(textOf(value, 34471, `${name}'s argument`)).length),
  $split: operands(2, 2, ([text, delimiter], name) => {
    if (nullish(text) || nullish(delimiter)) return null;
    const separator = textOf(delimiter, 40086, `${name}'s second argument`);
    if (separator === '') throw new MongoFault(40087, `${name} requires a non-empty separator`);
    return textOf(text, 40085, `${name}'s first argument`).split(separator);
  }),
  $indexOfCP: operands(2, 4, indexOf),
  $trim: trim(true, true),
  $ltrim: trim(true, false),
  $rtrim: trim(false, true),
  $replaceOne: replace((input, find, replacement) => input.replace(find, () => replacement)),
  $replaceAll: replace((input, find, replacement) => input.replaceAll(find, () => replacement)),
  $regexMatch: regexMatch,
};
