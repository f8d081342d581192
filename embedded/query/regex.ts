import { BSONRegExp } from 'bson';
import { kindOf, Kind } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';

/** MongoDB's patterns are PCRE; those that JavaScript reads the same way run, the `x` option does not exist here. */
export function regexOf(operand: unknown, options: unknown): { pattern: RegExp; source: BSONRegExp } {
  const given = kindOf(operand) === Kind.regex ? (operand as BSONRegExp) : undefined;
  const text = given?.pattern ?? operand;
  const flags = options ?? given?.options ?? '';
  if (typeof text !== 'string') throw new MongoFault(2, '$regex has to be a string');
  if (typeof flags !== 'string') throw new MongoFault(2, '$options has to be a string');
  if (/[^imsu]/.test(flags)) throw notImplemented(`The regular expression option in '${flags}'`);
  try {
    return { pattern: new RegExp(text, flags.replaceAll('u', '')), source: new BSONRegExp(text, flags) };
  } catch (error) {
    throw new MongoFault(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
}
