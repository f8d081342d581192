import { Double } from 'bson';
import { type Document, isNumeric, isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { typeName } from '../query/type-names.ts';

/** A document on its way through a pipeline, parsed when a stage first looks into it. Nobody changes it in place. */
export interface Item {
  readonly doc: Document;
  /** The document as it is stored, while no stage has changed it. */
  readonly bytes?: Uint8Array;
  /** What `$meta` reads, by its name there. */
  readonly meta?: Readonly<Document> | undefined;
}

/** A parsed expression. A missing value is `undefined`; a constant one looks at no document. */
export interface Expression {
  (item: Item): unknown;
  readonly constant?: true;
}

/** What each variable stands for, without its dollars. */
export type Scope = ReadonlyMap<string, Expression>;
export type Parse = (spec: unknown, locals?: Scope) => Expression;
export type Operator = (spec: unknown, parse: Parse, name: string) => Expression;

const NO_ITEM: Item = { doc: {} };

export function constant(value: unknown): Expression {
  return Object.assign(() => value, { constant: true as const });
}

/** What only depends on constants is computed once, while parsing. */
export function fold(parts: readonly Expression[], whole: Expression): Expression {
  return parts.every((part) => part.constant) ? constant(whole(NO_ITEM)) : whole;
}

/** An operator of `least` to `most` operands, all of them evaluated before it runs. */
export function operands(least: number, most: number, run: (values: unknown[], name: string) => unknown): Operator {
  return (spec, parse, name) => {
    const given: unknown[] = Array.isArray(spec) ? spec : [spec];
    const count = given.length;
    if (count < least || count > most) {
      throw least === most
        ? new MongoFault(16020, `Expression ${name} takes exactly ${least} arguments. ${count} were passed in.`)
        : new MongoFault(
            28667,
            `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${count} were passed in.`,
          );
    }
    const parts = given.map((one) => parse(one));
    return fold(parts, (item) =>
      run(
        parts.map((part) => part(item)),
        name,
      ),
    );
  };
}

/** The same, giving null as soon as an operand is null or missing. */
export function strict(least: number, most: number, run: (values: unknown[], name: string) => unknown): Operator {
  return operands(least, most, (values, name) => (values.some(nullish) ? null : run(values, name)));
}

/** An operator that takes its operands by name; a trailing `?` marks the optional ones. */
export function named(fields: string, run: (values: Document, name: string) => unknown): Operator {
  return (spec, parse, name) => {
    const parts = Object.entries(argumentsOf(spec, fields, name)).map(([field, one]) => [field, parse(one)] as const);
    return fold(
      parts.map(([, part]) => part),
      (item) => run(Object.fromEntries(parts.map(([field, part]) => [field, part(item)])), name),
    );
  };
}

/** Checks the names of an operator's arguments, given as `'input by? to?'`. */
export function argumentsOf(spec: unknown, fields: string, name: string): Document {
  if (!isObject(spec)) throw new MongoFault(9, `${name} requires an object as an argument, found: ${typeName(spec)}`);
  const known = fields.split(' ');
  const unknown = Object.keys(spec).find((field) => !known.includes(field) && !known.includes(`${field}?`));
  if (unknown !== undefined) throw new MongoFault(9, `Unrecognized argument to ${name}: ${unknown}`);
  const missing = known.find((field) => !field.endsWith('?') && !(field in spec));
  if (missing !== undefined) throw new MongoFault(9, `Missing '${missing}' parameter to ${name}`);
  return spec;
}

export function nullish(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

export function truthy(value: unknown): boolean {
  if (nullish(value) || value === false) return false;
  return !isNumeric(kindOf(value)) || Number(numeric(value)) !== 0;
}

export function arrayOf(value: unknown, code: number, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new MongoFault(code, `${what} must be an array, but is of type: ${typeName(value)}`);
}

export function textOf(value: unknown, code: number, what: string): string {
  if (typeof value === 'string') return value;
  throw new MongoFault(code, `${what} must be a string, but is of type: ${typeName(value)}`);
}

/** A whole number within 32 bits, whatever numeric type it has. */
export function int32Of(value: unknown, code: number, what: string): number {
  const number = isNumeric(kindOf(value)) ? Number(numeric(value)) : NaN;
  if ((number | 0) === number) return number;
  throw new MongoFault(code, `${what} must be representable as a 32-bit integer, but is of type: ${typeName(value)}`);
}

/** A double, also where its value could be taken for an int. */
export function double(value: number): unknown {
  return (value | 0) === value ? new Double(value) : value;
}

export function isRegex(value: unknown): boolean {
  return kindOf(value) === Kind.regex;
}
