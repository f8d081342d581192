const locale = 'en';

const whole = new Intl.NumberFormat(locale);
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const dayOnly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' });
const plurals = new Intl.PluralRules(locale);

export const count = (value: number): string => whole.format(value);
export const compact = (value: number): string => short.format(value);
/** `share` is 0..1. */
export const share = (value: number): string => percent.format(value);
export const moment = (iso: string): string => dateTime.format(new Date(iso));
export const day = (iso: string): string => dayOnly.format(new Date(iso));

/** `1 page`, `2 pages`. */
export const plural = (value: number, one: string, other: string): string =>
  `${count(value)} ${plurals.select(value) === 'one' ? one : other}`;

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Time since a moment, as `5 min. ago`. */
export function since(iso: string, now: number = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  for (const [unit, size] of steps)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return relative.format(Math.trunc(seconds), 'second');
}

/** A duration in milliseconds, as `840 ms`, `2.4 s` or `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Bytes in units of 1,024, as `1.2 MiB`. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  const shown = value / 1_024 ** step;
  return `${step === 0 || shown >= 100 ? Math.round(shown) : shown.toFixed(1)} ${units[step] ?? ''}`;
}
