import type { ObjectId, Timestamp } from 'bson';
import { Kind, kindOf } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { typeName } from '../query/type-names.ts';

/** How many milliseconds a place's clock is ahead of UTC at an instant. */
export type Zone = (instant: number) => number;

export const DAY_MS = 86_400_000;
export const UTC: Zone = () => 0;

/** An offset such as `+05:30`, or a name of the Olson database. */
export function parseZone(name: string): Zone {
  if (/^(?:UTC|GMT|Z)$/.test(name)) return UTC;
  const offset = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(name);
  if (offset) {
    const ahead = (Number(offset[2]) * 60 + Number(offset[3] ?? 0)) * 60_000 * (offset[1] === '-' ? -1 : 1);
    return () => ahead;
  }
  let format: Intl.DateTimeFormat;
  try {
    if (!/^[A-Za-z]/.test(name)) throw new RangeError(name);
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    throw new MongoFault(40485, `unrecognized time zone identifier: "${name}"`);
  }
  return (instant) => {
    const text = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
    const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -ahead : ahead;
  };
}

/** Dates, and what holds one: timestamps and object ids. */
export function instantOf(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  const kind = kindOf(value);
  if (kind === Kind.objectId) return (value as ObjectId).getTimestamp().getTime();
  if (kind === Kind.timestamp) return (value as Timestamp).t * 1000;
  throw new MongoFault(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

/** The instant at which a place's clock shows the local time. */
export function fromLocal(local: number, zone: Zone): number {
  return local - zone(local - zone(local));
}

/** Local time as milliseconds; parts beyond their range carry over. */
export function localOf(year: number, month: number, day: number, ms = 0): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) + ms;
}

export interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  dayOfYear: number;
  /** 1 is Sunday. */
  dayOfWeek: number;
  /** Of the year, from its first Sunday. */
  week: number;
  isoWeekYear: number;
  isoWeek: number;
  /** 1 is Monday. */
  isoDayOfWeek: number;
}

export function partsOf(local: number): Parts {
  const date = new Date(local);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const dayOfYear = Math.round((localOf(year, month, day) - localOf(year, 1, 1)) / DAY_MS) + 1;
  const weekday = date.getUTCDay();
  const isoDayOfWeek = weekday === 0 ? 7 : weekday;
  // The ISO week belongs to the year that its Thursday is in.
  const thursday = new Date(localOf(year, month, day + 4 - isoDayOfWeek));
  const isoWeekYear = thursday.getUTCFullYear();
  return {
    year,
    month,
    day,
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    dayOfYear,
    dayOfWeek: weekday + 1,
    week: Math.floor((dayOfYear + 6 - weekday) / 7),
    isoWeekYear,
    isoWeek: Math.floor((thursday.getTime() - localOf(isoWeekYear, 1, 1)) / DAY_MS / 7) + 1,
    isoDayOfWeek,
  };
}

/** The local time of an ISO week date. */
export function localOfIsoWeek(year: number, week: number, day: number): number {
  const fourth = localOf(year, 1, 4);
  return fourth + ((week - 1) * 7 + day - partsOf(fourth).isoDayOfWeek) * DAY_MS;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const FORMATS: Readonly<Record<string, (parts: Parts, ahead: number) => string>> = {
  '%': () => '%',
  Y: ({ year }) => padded(year, 4),
  m: ({ month }) => padded(month, 2),
  d: ({ day }) => padded(day, 2),
  H: ({ hour }) => padded(hour, 2),
  M: ({ minute }) => padded(minute, 2),
  S: ({ second }) => padded(second, 2),
  L: ({ millisecond }) => padded(millisecond, 3),
  j: ({ dayOfYear }) => padded(dayOfYear, 3),
  w: ({ dayOfWeek }) => String(dayOfWeek),
  u: ({ isoDayOfWeek }) => String(isoDayOfWeek),
  U: ({ week }) => padded(week, 2),
  V: ({ isoWeek }) => padded(isoWeek, 2),
  G: ({ isoWeekYear }) => padded(isoWeekYear, 4),
  b: ({ month }) => MONTHS[month - 1]?.slice(0, 3) ?? '',
  B: ({ month }) => MONTHS[month - 1] ?? '',
  z: (_parts, ahead) => {
    const minutes = Math.abs(ahead) / 60_000;
    return `${ahead < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60), 2)}${padded(minutes % 60, 2)}`;
  },
  Z: (_parts, ahead) => String(ahead / 60_000).replace(/^(?!-)/, '+'),
};

function padded(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

export function formatDate(instant: number, format: string, zone: Zone): string {
  const ahead = zone(instant);
  const parts = partsOf(instant + ahead);
  return format.replace(/%([^]?)/g, (_all, letter: string) => {
    const write = FORMATS[letter];
    if (write) return write(parts, ahead);
    throw new MongoFault(18536, `Invalid format character '%${letter}' in format string`);
  });
}

type Refusal = (why: string) => MongoFault;

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/;

/** ISO 8601 only: MongoDB reads more, which is refused here rather than guessed. */
export function parseDate(text: string, refuse: Refusal, zone?: Zone): Date {
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', offset] = ISO.exec(text) ?? [];
  if (year === undefined) throw refuse(`Error parsing date string '${text}'`);
  if (offset !== undefined && zone)
    throw refuse(
      `you cannot pass in a date/time string with time zone information ('${offset}') together with a timezone argument`,
    );
  const values = [year, month, day, hour, minute, second, fraction.padEnd(3, '0').slice(0, 3)].map(Number);
  return dateOf(values, offset === undefined ? zone : parseZone(offset), () =>
    refuse(`Error parsing date string '${text}'`),
  );
}

const PATTERNS: Readonly<Record<string, string>> = {
  Y: '(?<Y>\\d{4})',
  m: '(?<m>\\d{1,2})',
  d: '(?<d>\\d{1,2})',
  H: '(?<H>\\d{1,2})',
  M: '(?<M>\\d{1,2})',
  S: '(?<S>\\d{1,2})',
  L: '(?<L>\\d{1,3})',
  b: '(?<b>[A-Za-z]{3})',
  B: '(?<B>[A-Za-z]+)',
  z: '(?<z>Z|[+-]\\d\\d:?\\d\\d)',
  '%': '%',
};

export function parseDateBy(text: string, format: string, refuse: Refusal, zone?: Zone): Date {
  const pattern = format.replace(/%([^]?)|[.*+?^${}()|[\]\\]/g, (all, letter: string | undefined) => {
    if (letter === undefined) return `\\${all}`;
    const part = PATTERNS[letter];
    if (part === undefined) throw new MongoFault(18536, `Invalid format character '%${letter}' in format string`);
    return part;
  });
  const found = new RegExp(`^${pattern}$`).exec(text)?.groups;
  if (!found) throw refuse(`Error parsing date string '${text}'`);
  const { Y, m, d, H, M, S, L, b, B, z } = found;
  const named = b ?? B;
  const month =
    named === undefined
      ? Number(m ?? 1)
      : MONTHS.findIndex((one) => one.toLowerCase().startsWith(named.toLowerCase())) + 1;
  if (Y === undefined) throw refuse(`an incomplete date/time string has been found, with elements missing: "${text}"`);
  const values = [Number(Y), month, ...[d ?? 1, H ?? 0, M ?? 0, S ?? 0, (L ?? '').padEnd(3, '0')].map(Number)];
  return dateOf(values, z === undefined ? zone : parseZone(z), () => refuse(`Error parsing date string '${text}'`));
}

function dateOf(values: number[], zone: Zone = UTC, refuse: () => MongoFault): Date {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = values;
  const local = localOf(year, month, day, ((hour * 60 + minute) * 60 + second) * 1000 + millisecond);
  const back = partsOf(local);
  if (back.month !== month || back.day !== day || hour > 23 || minute > 59 || second > 59) throw refuse();
  return new Date(fromLocal(local, zone));
}
