import type { ObjectId, Timestamp } from 'bson';
import { type Document, isObject, Kind, kindOf } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { typeName } from '../query/type-names.ts';
import { named, nullish, type Operator, textOf } from './operator.ts';

/** How many milliseconds a place's clock is ahead of UTC at an instant. */
type Zone = (instant: number) => number;

const UTC: Zone = () => 0;

/** An offset such as `+05:30`, or a name of the Olson database. */
function parseZone(name: string): Zone {
  if (/^(?:UTC|GMT|Z)$/.test(name)) return UTC;
  if (/^[+-]\d\d(?::?\d\d)?$/.test(name)) return () => aheadOf(name);
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    return (instant) => aheadOf(format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value);
  } catch {
    throw new MongoFault(40485, `unrecognized time zone identifier: "${name}"`);
  }
}

/** Of `+05:30` or `GMT-00:25:21`; nothing but `GMT` is no offset. */
function aheadOf(text = ''): number {
  const [, sign, hours, minutes, seconds] = /([+-])(\d\d):?(\d\d)?(?::(\d\d))?$/.exec(text) ?? [];
  const ahead = ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1000;
  return sign === '-' ? -ahead : ahead;
}

/** Dates, and what holds one: timestamps and object ids. */
export function instantOf(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  const kind = kindOf(value);
  if (kind === Kind.objectId) return (value as ObjectId).getTimestamp().getTime();
  if (kind === Kind.timestamp) return (value as Timestamp).t * 1000;
  throw new MongoFault(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

/** An operator with a `timezone` among its operands; null where the one named first is, unless there is an `onNull`. */
function zoned(fields: string, run: (given: Document, zone: Zone) => unknown): Operator {
  const [main = ''] = fields.split(' ');
  return (spec, parse, name) => {
    const zones = new Map<unknown, Zone>([[undefined, UTC]]);
    const operator = named(`${fields} timezone?`, (given) => {
      const { onNull = null, timezone } = given;
      if (nullish(given[main])) return onNull;
      if (['timezone', 'format'].some((field) => field in given && nullish(given[field]))) return null;
      const zone = zones.get(timezone) ?? parseZone(textOf(timezone, 40517, `timezone of ${name}`));
      zones.set(timezone, zone);
      return run(given, zone);
    });
    return operator(spec, parse, name);
  };
}

type Part = readonly [name: string, letter: string, digits: number, read: (local: Date) => number];

/** Parts of a date that has been moved to the place's clock: as operators, and as the letters of a format with so many digits. */
const PARTS: readonly Part[] = [
  ['$year', 'Y', 4, (local) => local.getUTCFullYear()],
  ['$month', 'm', 2, (local) => local.getUTCMonth() + 1],
  ['$dayOfMonth', 'd', 2, (local) => local.getUTCDate()],
  ['$hour', 'H', 2, (local) => local.getUTCHours()],
  ['$minute', 'M', 2, (local) => local.getUTCMinutes()],
  ['$second', 'S', 2, (local) => local.getUTCSeconds()],
  ['$millisecond', 'L', 3, (local) => local.getUTCMilliseconds()],
  ['$dayOfYear', 'j', 3, dayOfYear],
  ['$dayOfWeek', 'w', 1, (local) => local.getUTCDay() + 1],
];

function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - new Date(0).setUTCFullYear(local.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}

/** One part of a date, which stands alone or as `{ date, timezone }`. */
function partOperator(read: (local: Date) => number): Operator {
  const whole = zoned('date', ({ date }, zone) => {
    const instant = instantOf(date);
    return read(new Date(instant + zone(instant)));
  });
  return (spec, parse, name) => {
    const [date, ...more] = (Array.isArray(spec) ? spec : [spec]) as unknown[];
    if (date === undefined || more.length > 0) throw new MongoFault(40536, `${name} accepts exactly one argument`);
    return whole(isObject(date) && 'date' in date ? date : { date }, parse, name);
  };
}

function formatDate(instant: number, format: string, zone: Zone): string {
  const ahead = zone(instant);
  const minutes = Math.abs(ahead) / 60_000;
  const padded = (value: number, digits: number): string => String(Math.floor(value)).padStart(digits, '0');
  return format.replace(/%([^]?)/g, (_all, letter: string) => {
    const [, , digits = 0, read] = PARTS.find((part) => part[1] === letter) ?? [];
    if (read) return padded(read(new Date(instant + ahead)), digits);
    if (letter === '%') return '%';
    if (letter === 'z') return `${ahead < 0 ? '-' : '+'}${padded(minutes / 60, 2)}${padded(minutes % 60, 2)}`;
    if (/[uUVGbBZ]/.test(letter)) throw notImplemented(`'%${letter}' in the format of a date`);
    throw new MongoFault(18536, `Invalid format character '%${letter}' in format string`);
  });
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;

/** ISO 8601 only: MongoDB reads more, which is refused here rather than guessed. */
export function parseDate(text: string, zone?: Zone): Date {
  const [, day, time = '00:00', seconds = ':00', fraction = '', offset] = ISO.exec(text) ?? [];
  const clock = `${day}T${time}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const local = Date.parse(clock);
  // A day or an hour too many carries over.
  if (Number.isNaN(local) || new Date(local).toISOString() !== clock)
    throw new MongoFault(241, `Error parsing date string '${text}'`);
  if (offset !== undefined && zone)
    throw new MongoFault(241, `'${text}' has a time zone, which cannot be given together with a timezone argument`);
  const ahead = offset === undefined ? (zone ?? UTC) : parseZone(offset);
  return new Date(local - ahead(local - ahead(local)));
}

export const DATES: Readonly<Record<string, Operator>> = {
  ...Object.fromEntries(PARTS.map(([name, , , read]) => [name, partOperator(read)])),
  $dateToString: zoned('date format? onNull?', ({ date, format }, zone) => {
    const otherwise = `%Y-%m-%dT%H:%M:%S.%L${zone === UTC ? 'Z' : ''}`;
    return formatDate(instantOf(date), textOf(format ?? otherwise, 18533, "$dateToString's 'format'"), zone);
  }),
  $dateFromString: zoned('dateString format? onError? onNull?', (given, zone) => {
    if ('format' in given) throw notImplemented('$dateFromString with a format');
    try {
      return parseDate(textOf(given['dateString'], 241, "'dateString'"), 'timezone' in given ? zone : undefined);
    } catch (error) {
      if ('onError' in given && error instanceof MongoFault && error.code === 241) return given['onError'];
      throw error;
    }
  }),
};
