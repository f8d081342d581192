import { Double } from 'bson';
import { type Document, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { typeName } from '../query/type-names.ts';
import { KeyWriter } from '../storage/key.ts';

/** A document on its way through a pipeline, parsed when a stage first looks into it. Nobody changes it in place. */
export interface Item {
  readonly doc: Document;
  /** The document as it is stored, while no stage has changed it. */
  readonly bytes?: Uint8Array;
  /** Metadata that `$meta` reads, by name. */
  readonly meta?: Readonly<Document> | undefined;
}

/** A parsed expression. A missing value is `undefined`; a constant one looks at no document. */
export interface Expression {
  (item: Item): unknown;
  readonly constant?: true;
}

/** Values of the variables, by name without dollars. */
export type Scope = ReadonlyMap<string, Expression>;
export type Parse = (spec: unknown, locals?: Scope) => Expression;
export type Operator = (spec: unknown, parse: Parse, name: string) => Expression;

const NO_ITEM: Item = { doc: {} };

export function constant(value: unknown): Expression {
  return Object.assign(() => value, { constant: true as const });
}

/** Computes an expression of constants once, while parsing. */
export function fold(parts: readonly Expression[], whole: Expression): Expression {
  return parts.every((part) => part.constant) ? constant(whole(NO_ITEM)) : whole;
}

/** An operator of `least` to `most` operands. */
export function operands(least: number, most: number, run: (values: unknown[], name: string) => unknown): Operator {
  return (spec, parse, name) => {
    const given: unknown[] = Array.isArray(spec) ? spec : [spec];
    const { length } = given;
    if (length < least || length > most) {
      const wanted = least === most ? `exactly ${least}` : `at least ${least}, and at most ${most}`;
      throw new CommandError(
        least === most ? 16020 : 28667,
        `Expression ${name} takes ${wanted} arguments. ${length} were passed in.`,
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

/** Checks the names of what an operator or a stage takes, given as `'input by? to?'`: a trailing `?` marks the optional ones. */
export function argumentsOf(spec: unknown, fields: string, name: string, [unknown, missing] = [9, 9]): Document {
  if (!isObject(spec)) throw new CommandError(9, `${name} requires an object as an argument, found: ${typeName(spec)}`);
  const known = fields.split(' ');
  const odd = Object.keys(spec).find((field) => !known.includes(field) && !known.includes(`${field}?`));
  if (odd !== undefined) throw new CommandError(unknown, `BSON field '${name}.${odd}' is an unknown field.`);
  const absent = known.find((field) => !field.endsWith('?') && spec[field] === undefined);
  if (absent === undefined) return spec;
  throw new CommandError(missing, `BSON field '${name}.${absent}' is missing but a required field`);
}

/** Variables that are set from a document before what reads them runs. */
export function variables(given: readonly [name: string, value: Expression][]) {
  const held: unknown[] = [];
  return {
    scope: new Map(given.map(([name], at): [string, Expression] => [checkVariable(name), () => held[at]])) as Scope,
    set: (item: Item): void => {
      const values = given.map(([, value]) => value(item));
      for (const [at, value] of values.entries()) held[at] = value;
    },
  };
}

export function checkVariable(name: string): string {
  if (/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) return name;
  throw new CommandError(9, `'${name}' holds a character that is invalid in a variable name`);
}

/** A row of a table by a name that comes from a client. */
export function rowOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function nullish(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

export function isNumber(value: unknown): boolean {
  return isNumeric(kindOf(value));
}

export function truthy(value: unknown): boolean {
  if (nullish(value) || value === false) return false;
  return !isNumber(value) || Number(numeric(value)) !== 0;
}

export function textOf(value: unknown, code: number, what: string): string {
  if (typeof value === 'string') return value;
  throw new CommandError(code, `${what} must be a string, but is of type: ${typeName(value)}`);
}

/** A whole number within 32 bits, whatever numeric type it has, from `least` on. */
export function int32Of(value: unknown, code: number, what: string, [least, lessCode] = [-Infinity, code]): number {
  const number = isNumber(value) ? Number(numeric(value)) : NaN;
  if ((number | 0) !== number)
    throw new CommandError(code, `${what} must be a whole number of 32 bits, but is of type: ${typeName(value)}`);
  if (number < least) throw new CommandError(lessCode, `${what} must be at least ${least}, but is ${number}`);
  return number;
}

/** A double, also where its value could be taken for an int. */
export function double(value: number): unknown {
  return (value | 0) === value ? new Double(value) : value;
}

/** Equal values, also numbers of different types, have the same text: what `$group` and the set operators tell values apart by. */
export function valueKey(value: unknown): string {
  return new KeyWriter().add(value).finish().toString('latin1');
}
