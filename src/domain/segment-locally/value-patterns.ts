import { monthNames, readDate } from '#src/domain/segment-locally/read-date.ts';
import { currency, figure, readFigure, readMoney } from '#src/domain/segment-locally/read-number.ts';

export const valueTypes = ['date', 'money', 'email', 'phone', 'url', 'number'] as const;
export type ValueType = (typeof valueTypes)[number];

const weekday = String.raw`(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)`;

/** Patterns of values in English and German; all repetitions are bounded. */
export const valuePatterns: Readonly<Record<ValueType, RegExp>> = {
  date: new RegExp(
    [
      String.raw`(?<![\d./-])(?:19|20)\d{2}([-/.])\d{1,2}\1\d{1,2}(?![\d/-]|\.\d)`,
      String.raw`(?<![\d./-])\d{1,2}([./-]) ?\d{1,2}\2 ?(?:(?:19|20)\d{2}|\d{2})(?![\d/-]|\.\d|,\d)`,
      String.raw`(?<![\p{L}\d])(?:${weekday},? )?\d{1,2}(?:\.|st|nd|rd|th)?[-/ ]?(?:of )?(?:${monthNames})(?!\p{L})(?:[-/,. ]{0,2}(?:19|20)\d{2}(?!\d)|[-/ ']{1,2}\d{2}(?=\s+\d{1,2}:\d|\s*$|[,;)]))?`,
      String.raw`(?<![\p{L}\d])(?:${weekday},? )?(?:${monthNames}) \d{1,2}(?:st|nd|rd|th)?(?![\d.:]\d|\d)(?:,? ?(?:19|20)\d{2}(?!\d))?`,
    ].join('|'),
    'giu',
  ),
  money: new RegExp(
    [
      String.raw`(?<![\p{L}\d.,])[-−]?(?:${currency})\.? ?[-−]?(?:${figure})(?![\d%]|[.,]\d)`,
      String.raw`(?<![\p{L}\d.,/:-])[-−]?(?:${figure}|\d+,[-–])\s?(?:${currency})(?![\p{L}\d])`,
      String.raw`(?<![\p{L}\d.,/:-])[-−]?(?:\d{1,3}(?:[.,' ]\d{3})+|\d{1,9})[.,]\d{2}(?![\p{L}\d/:-]|[.,]\d| ?%| ?(?:uhr|h|am|pm|kg|g|cm|mm|km|l|m)(?!\p{L}))`,
    ].join('|'),
    'giu',
  ),
  email: /(?<![\p{L}\d.])[\w.+-]{1,64} ?@ ?[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/gu,
  phone:
    /(?<![\p{L}\d.,+/-])(?:\+\d{1,3}[ (/.-]{0,2}(?:\(0\) ?)?\d[\d ()/.-]{4,16}\d|\(?0\d{1,5}\)?[ /-]{1,2}\d[\d -]{3,12}\d|\(\d{3}\) ?\d{3}[-.]\d{4}|\d{3}[-.]\d{3}[-.]\d{4}|\d{3}-\d{4})(?![\p{L}\d]|[.,/-]\d)/gu,
  url: /(?<![\p{L}\d@.])(?:https?:\/\/|www\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?::\d{1,5})?(?:\/[\w./?=&%#~+-]{0,200})?/giu,
  number: new RegExp(String.raw`(?<![\p{L}\d.,/:-])[-−]?(?:${figure})(?![\p{L}\d/:]|[.,-]\d)`, 'gu'),
};

/** Normalizes a written value; null if it is not of the type. */
export const valueReaders: Readonly<Record<ValueType, (written: string) => string | null>> = {
  date: readDate,
  money: readMoney,
  number: readFigure,
  email: (written) => written.replaceAll(' ', '').toLowerCase(),
  phone: (written) => (written.startsWith('+') ? '+' : '') + written.replace(/\(0\)|\D/gu, ''),
  url: (written) => written.replace(/[.,;]+$/u, '').toLowerCase(),
};
