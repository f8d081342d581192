import { type Document, isNumeric, kindOf, numeric } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';

/** Fails as Atlas does for what its search process refuses. */
export function check(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new CommandError(8, `PlanExecutor error during aggregation :: caused by :: ${otherwise}`);
}

export function need(holds: unknown, what: string, rule: string): asserts holds {
  check(holds, `"${what}" must be ${rule}`);
}

/** Refuses a field that is not among those honoured here, whether Atlas knows it or not. */
export function only(given: Document, fields: readonly string[], where: string): void {
  const unknown = Object.keys(given).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw notImplemented(`'${unknown}' in ${where}`);
}

export function stringOf(value: unknown, what: string): string {
  need(typeof value === 'string' && value !== '', what, 'a string that cannot be empty');
  return value;
}

export function numberOf(value: unknown): number {
  return isNumeric(kindOf(value)) ? Number(numeric(value)) : NaN;
}

export function integerOf(value: unknown, what: string, least: number, most = 2 ** 31 - 1): number {
  const number = numberOf(value);
  const isMeant = Number.isInteger(number) && number >= least && number <= most;
  need(isMeant, what, `an integer within bounds [${least}..${most}]`);
  return number;
}
