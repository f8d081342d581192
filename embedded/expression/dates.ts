import { Long } from 'bson';
import { type Document, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { typeName } from '../query/type-names.ts';
import {
  DAY_MS,
  formatDate,
  fromLocal,
  instantOf,
  localOf,
  localOfIsoWeek,
  parseDate,
  parseDateBy,
  type Parts,
  parseZone,
  partsOf,
  UTC,
  type Zone,
} from './calendar.ts';
import { argumentsOf, fold, int32Of, nullish, type Operator, truthy } from './operator.ts';

/** An operator with a `timezone` among its named operands; a null operand makes it null, unless it is one of the `lenient`. */
function zoned(
  fields: string,
  run: (given: Document, zone: Zone, name: string) => unknown,
  lenient: readonly string[] = [],
): Operator {
  return (spec, parse, name) => {
    const given = argumentsOf(spec, `${fields} timezone?`, name);
    const fieldsGiven = Object.entries(given).map(([field, one]) => ({ field, value: parse(one) }));
    const zones = new Map<string, Zone>();
    return fold(
      fieldsGiven.map(({ value }) => value),
      (item) => {
        const values: Document = {};
        for (const { field, value } of fieldsGiven) {
          values[field] = value(item);
          if (nullish(values[field]) && !lenient.includes(field)) return null;
        }
        const zoneName = values['timezone'];
        if (zoneName === undefined) return run(values, UTC, name);
        if (typeof zoneName !== 'string')
          throw new MongoFault(40517, `timezone must evaluate to a string, found ${typeName(zoneName)}`);
        const zone = zones.get(zoneName) ?? parseZone(zoneName);
        zones.set(zoneName, zone);
        return run(values, zone, name);
      },
    );
  };
}

/** One part of a date, which stands alone or as `{ date, timezone }`. */
function part(field: keyof Parts, wide = false): Operator {
  const whole = zoned('date', ({ date }, zone) => {
    const instant = instantOf(date);
    const value = partsOf(instant + zone(instant))[field];
    return wide ? Long.fromNumber(value) : value;
  });
  return (spec, parse, name) => {
    const [only, more] = (Array.isArray(spec) ? spec : [spec]) as unknown[];
    if (Array.isArray(spec) && (spec.length === 0 || more !== undefined))
      throw new MongoFault(40536, `${name} accepts exactly one argument, but was given ${spec.length}`);
    return whole(isObject(only) && 'date' in only ? only : { date: only }, parse, name);
  };
}

const toText = zoned(
  'date format? onNull?',
  (given, zone) => {
    const { date, format = zone === UTC ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L', onNull = null } = given;
    if (nullish(date)) return onNull;
    if (nullish(format)) return null;
    if (typeof format !== 'string')
      throw new MongoFault(18533, `$dateToString requires that 'format' be a string, found: ${typeName(format)}`);
    return formatDate(instantOf(date), format, zone);
  },
  ['date', 'onNull'],
);

const fromText = zoned(
  'dateString format? onError? onNull?',
  (given, zone) => {
    const { dateString: text, format, onNull = null } = given;
    if (nullish(text)) return onNull;
    const refuse = (why: string): MongoFault => new MongoFault(241, why);
    const only = 'timezone' in given ? zone : undefined;
    try {
      if (typeof text !== 'string')
        throw refuse(`$dateFromString requires that 'dateString' be a string, found: ${typeName(text)}`);
      return typeof format === 'string' ? parseDateBy(text, format, refuse, only) : parseDate(text, refuse, only);
    } catch (error) {
      if ('onError' in given && error instanceof MongoFault && error.code === 241) return given['onError'];
      throw error;
    }
  },
  ['dateString', 'onError', 'onNull'],
);

const fromParts = zoned(
  'year? month? day? isoWeekYear? isoWeek? isoDayOfWeek? hour? minute? second? millisecond?',
  (given, zone, name) => {
    const value = (field: string, fallback: number): number =>
      field in given ? int32Of(given[field], 40515, `'${field}' of ${name}`) : fallback;
    const iso = 'isoWeekYear' in given;
    if (!iso && !('year' in given))
      throw new MongoFault(40516, `${name} requires either 'year' or 'isoWeekYear' to be present`);
    if (iso && ['year', 'month', 'day'].some((field) => field in given))
      throw new MongoFault(40489, `${name} does not allow mixing natural dates with ISO dates`);
    const year = value(iso ? 'isoWeekYear' : 'year', 0);
    if (year < 1 || year > 9999)
      throw new MongoFault(40523, `'year' must evaluate to an integer in the range 1 to 9999, found ${year}`);
    const day = iso
      ? localOfIsoWeek(year, value('isoWeek', 1), value('isoDayOfWeek', 1))
      : localOf(year, value('month', 1), value('day', 1));
    const time =
      ((value('hour', 0) * 60 + value('minute', 0)) * 60 + value('second', 0)) * 1000 + value('millisecond', 0);
    return new Date(fromLocal(day + time, zone));
  },
);

const toParts = zoned('date iso8601?', ({ date, iso8601 }, zone) => {
  const instant = instantOf(date);
  const parts = partsOf(instant + zone(instant));
  const days = truthy(iso8601)
    ? (['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] as const)
    : (['year', 'month', 'day'] as const);
  return Object.fromEntries(
    [...days, 'hour', 'minute', 'second', 'millisecond'].map((field) => [field, parts[field as keyof Parts]]),
  );
});

/** Units shorter than a day by their milliseconds; the longer ones follow the calendar. */
const SHORT: Readonly<Record<string, number>> = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 };
const MONTHS: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 };
const DAYS: Readonly<Record<string, number>> = { week: 7, day: 1 };

function unitOf(unit: unknown): string {
  if (typeof unit === 'string' && [SHORT, MONTHS, DAYS].some((units) => Object.hasOwn(units, unit))) return unit;
  throw new MongoFault(9, `unknown time unit value: ${String(unit)}`);
}

function longOf(value: unknown, code: number, what: string): number {
  const number = isNumeric(kindOf(value)) ? Number(numeric(value)) : NaN;
  if (!Number.isInteger(number)) throw new MongoFault(code, `${what} must be coercible to a whole number`);
  return number;
}

function shifted(sign: number): Operator {
  return zoned('startDate unit amount', ({ startDate, unit, amount }, zone, name) => {
    const instant = instantOf(startDate);
    const by = longOf(amount, 5166405, `'amount' of ${name}`) * sign;
    const step = unitOf(unit);
    const short = SHORT[step];
    if (short !== undefined) return new Date(instant + by * short);
    const local = instant + zone(instant);
    const days = DAYS[step];
    if (days !== undefined) return new Date(fromLocal(local + by * days * DAY_MS, zone));
    const { year, month, day } = partsOf(local);
    const wanted = month + by * (MONTHS[step] ?? 1);
    // The last day of a shorter month stands for the days it does not have.
    const last = partsOf(localOf(year, wanted + 1, 0)).day;
    const time = local - localOf(year, month, day);
    return new Date(fromLocal(localOf(year, wanted, Math.min(day, last), time), zone));
  });
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const EPOCH_WEEKDAY = 4;

/** The weekday a week begins on, 0 for Sunday. */
function weekStart(given: unknown): number {
  const name = typeof given === 'string' ? given.toLowerCase() : '';
  const start = WEEKDAYS.findIndex((day) => name === day || (name.startsWith(day) && name.endsWith('day')));
  if (start < 0) throw new MongoFault(9, `unknown day of week value: ${String(given)}`);
  return start;
}

/** The weeks begun between 1970 and the day. */
function weekNumber(local: number, start: number): number {
  return Math.floor((Math.floor(local / DAY_MS) + EPOCH_WEEKDAY - start) / 7);
}

const difference = zoned(
  'startDate endDate unit startOfWeek?',
  ({ startDate, endDate, unit, startOfWeek = 'sunday' }, zone) => {
    const [start, end] = [instantOf(startDate), instantOf(endDate)];
    const step = unitOf(unit);
    const short = SHORT[step];
    const [from, to] = [start + zone(start), end + (short === undefined ? zone(end) : zone(start))];
    const months = MONTHS[step];
    const count = (local: number): number => {
      if (months !== undefined) return Math.floor((partsOf(local).year * 12 + partsOf(local).month - 1) / months);
      return step === 'week' ? weekNumber(local, weekStart(startOfWeek)) : Math.floor(local / (short ?? DAY_MS));
    };
    return Long.fromNumber(count(to) - count(from));
  },
);

/** Bins are counted from the start of the year 2000 on the place's clock. */
const truncated = zoned('date unit binSize? startOfWeek?', (given, zone) => {
  const { date, unit, binSize = 1, startOfWeek = 'sunday' } = given;
  const instant = instantOf(date);
  const local = instant + zone(instant);
  const size = longOf(binSize, 5439017, "'binSize'");
  if (size <= 0) throw new MongoFault(5439018, '$dateTrunc requires binSize to be greater than zero');
  const step = unitOf(unit);
  const origin = localOf(2000, 1, 1);
  const down = (value: number): number => Math.floor(value / size) * size;
  const short = SHORT[step];
  if (short !== undefined) {
    const start = fromLocal(origin, zone);
    return new Date(start + down(Math.floor((instant - start) / short)) * short);
  }
  const months = MONTHS[step];
  if (months !== undefined) {
    const { year, month } = partsOf(local);
    const bin = down(Math.floor(((year - 2000) * 12 + month - 1) / months));
    return new Date(fromLocal(localOf(2000, 1 + bin * months, 1), zone));
  }
  if (step === 'day') return new Date(fromLocal(origin + down(Math.floor((local - origin) / DAY_MS)) * DAY_MS, zone));
  const start = weekStart(startOfWeek);
  const first = weekNumber(origin + 6 * DAY_MS, start);
  const week = first + down(weekNumber(local, start) - first);
  return new Date(fromLocal((week * 7 - EPOCH_WEEKDAY + start) * DAY_MS, zone));
});

export const DATES: Readonly<Record<string, Operator>> = {
  $year: part('year'),
  $month: part('month'),
  $dayOfMonth: part('day'),
  $hour: part('hour'),
  $minute: part('minute'),
  $second: part('second'),
  $millisecond: part('millisecond'),
  $dayOfYear: part('dayOfYear'),
  $dayOfWeek: part('dayOfWeek'),
  $week: part('week'),
  $isoWeekYear: part('isoWeekYear', true),
  $isoWeek: part('isoWeek'),
  $isoDayOfWeek: part('isoDayOfWeek'),
  $dateToString: toText,
  $dateFromString: fromText,
  $dateFromParts: fromParts,
  $dateToParts: toParts,
  $dateAdd: shifted(1),
  $dateSubtract: shifted(-1),
  $dateDiff: difference,
  $dateTrunc: truncated,
};
