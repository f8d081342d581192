/** Kinds of facts that a question can ask for and that a text shows by its form. */
export type FactKind = 'amount' | 'date';

const money = String.raw`EUR|USD|GBP|CHF|euros?|dollars?|pounds?|francs?|[€$£]`;
const amount = new RegExp(String.raw`\d[.,]\d\d(?!\d)|(?:${money})\s?\d|\d\s?(?:${money})`, 'iu');
const date = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\b(1\d|20)\d\d\b|\d{1,2}\.? \p{L}{3,}|\d{1,2}:\d\d/u;

/** True if the text holds an amount, or a date or time. */
export function isOfKind(kind: FactKind, text: string): boolean {
  return (kind === 'amount' ? amount : date).test(text);
}
