import { distinct, fieldsBy, type KeyField } from '#src/domain/describe-locally/key-field.ts';

const email = /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b/g;
const website = /\b(?:https?:\/\/|www\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?:\/[\w./?=&%-]{0,200})?/gi;
const phones = [
  /(?:\btel(?:ephone|efon|\.)?|\bphone|\bcall back|\bmobile|\bfax|\btél\.?)[ \t]*(?:[:.][ \t]*)?(\+?[\d(][\d ()/.-]{4,18}\d)/gi,
  /(\+\d{1,3}[ (/-]{0,2}\d[\d ()/-]{5,14}\d)/g,
  /(?<![\d/.-])(\d{3}-\d{4}|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})(?![\d/.-]*\d)/g,
];
const person =
  /(?:\b[Ff]ull name|\b[Aa]ccount holder|\b[Hh]older|\b[Aa]pplicant name)(?:[ \t]*:)?[ \t]+(\p{Lu}[\p{L}'’.-]{0,40}(?: \p{Lu}[\p{L}'’.-]{0,40}){1,3})/gu;
const weight = /\b(?:total |gross |net )?weight[ \t]*(?::[ \t]*)?(\d[\d.,]{0,9} ?(?:kg|g|lbs?|t))\b/gi;

/** Finds e-mail addresses, web addresses, telephone numbers, labelled names and weights, as written. */
export function findContacts(text: string): KeyField[] {
  return [
    ...distinct(fieldsBy(text, person, 'name'), 2),
    ...distinct(fieldsBy(text, email, 'email'), 3),
    ...distinct(
      phones.flatMap((pattern) => fieldsBy(text, pattern, 'phone')),
      3,
    ),
    ...distinct(fieldsBy(text, website, 'website'), 2),
    ...distinct(fieldsBy(text, weight, 'weight'), 1),
  ];
}
