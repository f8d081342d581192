import { distinct, type KeyField } from '#src/domain/describe-locally/key-field.ts';

const months =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevrier|mar(?:ch|s)?|märz|apr(?:il)?|avril|may|mai|june?|juin|juni|july?|juillet|juli|' +
  'aug(?:ust)?|août|sep(?:t(?:ember)?)?|septembre|oct(?:ober|obre)?|okt(?:ober)?|nov(?:ember|embre)?|dec(?:ember)?|décembre|dez(?:ember)?|' +
  'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre';
const weekday = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';

const date = new RegExp(
  [
    String.raw`\b\d{4}-\d{2}-\d{2}\b`,
    String.raw`\b\d{1,2}[./]\d{1,2}[./](?:19|20)\d{2}\b`,
    String.raw`\b\d{1,2}\.\d{1,2}\.\d{2}\b`,
    `\\b(?:${weekday},? )?\\d{1,2}(?:\\.|st|nd|rd|th)? (?:de |of )?(?:${months})\\b\\.?(?:,? (?:de )?(?:19|20)\\d{2}\\b)?`,
    `\\b(?:${weekday},? )?(?:${months})\\.? \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? (?:19|20)\\d{2}\\b)?`,
    `\\b${weekday}\\b`,
  ].join('|'),
  'gi',
);
const time = /\b\d{1,2}:\d{2}\b(?: ?[ap]\.?m\b)?|\b\d{1,2} ?[ap]m\b/gi;

/** Words before a date and the field name they give it. */
const roles: readonly (readonly [before: RegExp, name: string])[] = [
  [/(?:birth|born|geboren|geburtsdatum|naissance|nacimiento|nascita)\W*(?:on |am |le )?$/i, 'date of birth'],
  [
    /(?:due|due date|payable by|deadline|expires?|valid until|fällig|zahlbar bis|échéance|return it by)\W*(?:on |am |le )?$/i,
    'due date',
  ],
  [/next meeting.{0,20}$/i, 'next date'],
  [/(?:start|start of \w+|from|ab)\W*$/i, 'start date'],
  [/(?:^|[^\w])(?:invoice date|date|datum|fecha|data|held on|issued|issued on|vom)\W*$/i, 'date'],
];

/**
 * Finds at most 6 dates and 2 times, as written. The field `date` is the labelled one, or the first with a year; the others are named by
 * their label, or `other date`.
 */
export function findDates(text: string): KeyField[] {
  const dates = distinct(
    [...text.matchAll(date)].map((match) => ({
      value: match[0].replace(/\.$/, ''),
      at: match.index,
      name: /\d/.test(match[0]) ? roleOf(text, match.index) : 'day',
    })),
    40,
  );
  const main =
    dates.find((field) => field.name === 'date') ??
    dates.find((field) => field.name === 'other date' && /\d{4}/.test(field.value)) ??
    dates.find((field) => field.name === 'other date' && /\d/.test(field.value));
  const named = dates.map((field) =>
    field.name === 'date' && field !== main ? { ...field, name: 'other date' } : field,
  );
  const rest = named
    .filter((field) => field.at !== main?.at)
    .toSorted((left, right) => rank(left) - rank(right) || left.at - right.at);
  const times = [...text.matchAll(time)].map((match) => ({ name: 'time', value: match[0], at: match.index }));
  return [...(main === undefined ? [] : [{ ...main, name: 'date' }]), ...rest.slice(0, 5), ...distinct(times, 2)];
}

function rank(field: KeyField): number {
  return ['other date', 'day'].indexOf(field.name);
}

function roleOf(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 40), at);
  const sameLine = before.slice(before.lastIndexOf('\n') + 1);
  return roles.find(([pattern]) => pattern.test(sameLine))?.[1] ?? 'other date';
}
