/** Folded prefixes of the months in English and German, in order. */
const months: readonly (readonly string[])[] = [
  ['jan'],
  ['feb'],
  ['mar', 'mae', 'maer', 'mrz'],
  ['apr'],
  ['may', 'mai'],
  ['jun'],
  ['jul'],
  ['aug'],
  ['sep'],
  ['oct', 'okt'],
  ['nov'],
  ['dec', 'dez'],
];
export const monthNames =
  'jan(?:uary|uar|\\.)?|jänner|feb(?:ruary|ruar|\\.)?|mar(?:ch|\\.)?|m(?:ä|ae)rz|mrz\\.?|apr(?:il|\\.)?|may|mai|june?|juni|jun\\.|' +
  'july?|juli|jul\\.|aug(?:ust|\\.)?|sept?(?:ember|\\.)?|oct(?:ober|\\.)?|okt(?:ober|\\.)?|nov(?:ember|\\.)?|dec(?:ember|\\.)?|dez(?:ember|\\.)?';

const dayLimits = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function monthOf(name: string): number {
  const folded = name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').slice(0, 4);
  return months.findIndex((starts) => starts.some((start) => folded.startsWith(start))) + 1;
}

function yearOf(written: string): number {
  const year = Number(written);
  if (written.length > 2) return year;
  return year + (year < 70 ? 2000 : 1900);
}

function iso(year: number | null, month: number, day: number): string | null {
  if (month < 1 || day < 1 || day > (dayLimits[month - 1] ?? 0)) return null;
  const rest = [month, day].map((part) => String(part).padStart(2, '0')).join('-');
  if (year === null) return `--${rest}`;
  return year >= 1000 && year <= 9999 ? `${year}-${rest}` : null;
}

/**
 * Reads a date as `2024-03-05`, or `--03-05` without a year; null if the day does not exist. Numeric dates have the day first (`5.3.2024`,
 * `05/03/2024`), unless only the other order is a date (`03/25/2024`).
 */
export function readDate(written: string): string | null {
  const name = /\p{L}{3,}/u.exec(written.replace(/^\p{L}+day,?\s+|^\p{L}+tag,?\s+/iu, ''))?.[0];
  const [first = '', second = '', third = ''] = written.match(/\d+/gu) ?? [];
  if (name !== undefined && monthOf(name) > 0)
    return iso(second === '' ? null : yearOf(second), monthOf(name), Number(first));
  if (first.length === 4) return iso(Number(first), Number(second), Number(third));
  if (third === '') return null;
  return iso(yearOf(third), Number(second), Number(first)) ?? iso(yearOf(third), Number(first), Number(second));
}
