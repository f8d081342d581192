import { distinct, fieldsBy, type KeyField } from '#src/domain/describe-locally/key-field.ts';

/** Bounded repetition, and no two optional spaces side by side: long runs in a document must not cost the square of their length. */
const figure = String.raw`\d{1,3}(?:[.,' ]\d{3}){0,6}(?:[.,]\d{2})?|\d+(?:[.,]\d{2})?`;
const before = 'EUR|USD|GBP|CHF|CAD|AUD|[€$£¥]';
const after = 'EUR|USD|GBP|CHF|[€£]|euros?|dollars?|pounds?|francs?|cents?';
const amount = new RegExp(`(?<![\\w.,])(?:(?:${before}) ?(?:${figure})|(?:${figure})\\s?(?:${after}))(?![\\w])`, 'g');

/** Labels of totals, the most specific first. The value is the last number after the label in its line. */
const totals: readonly (readonly [label: RegExp, name: string])[] = [
  [
    /^.{0,60}?\b(?:total due|amount due|balance due|grand total|zu zahlen|gesamtbetrag|rechnungsbetrag|total ttc|net à payer|importe total)\b(.*)$/gim,
    'total',
  ],
  [/^[ \t]*(?:total|summe|totale|gesamt|importe)\b(?! (?:weight|number|pages|items|net))(.*)$/gim, 'total'],
  [/^.{0,60}?\bopening balance\b(.*)$/gim, 'opening balance'],
  [/^.{0,60}?\bclosing balance\b(.*)$/gim, 'closing balance'],
  [/^[ \t]*(?:sub ?total|net amount|zwischensumme|nettobetrag)\b(.*)$/gim, 'subtotal'],
  [/^.{0,60}?\b(?:vat|sales tax|mwst|ust|tva|iva)\b[ \t]*(?:(?:\d{1,2}(?:[.,]\d)?|[.,]\d)[ \t]*)?%(.*)$/gim, 'tax'],
];
const money = new RegExp(
  `(?:(?:${before}) ?)?-?(?<![\\w.,])(?:${figure})(?:(?: ?(?:${after}))(?!\\w))?(?![\\w%.,]*\\d)`,
  'g',
);

/** Finds total, balances, tax and up to four other amounts with a currency, as written. Adds no currency to a total. */
export function findAmounts(text: string): KeyField[] {
  const named: KeyField[] = [];
  for (const [label, name] of totals) {
    if (named.some((field) => field.name === name)) continue;
    const found = [...text.matchAll(label)].map((match) => ({ at: match.index, value: lastFigure(match[1] ?? '') }));
    const last = found.findLast((field) => field.value !== '');
    if (last !== undefined) named.push({ name, ...last });
  }
  const others = distinct(fieldsBy(text, amount, 'amount'), 12).filter(
    (field) => !named.some((total) => total.value.includes(field.value) || field.value.includes(total.value)),
  );
  return [...named, ...others.slice(0, 4)];
}

function lastFigure(rest: string): string {
  const figures =
    rest
      .slice(0, 200)
      .match(money)
      ?.map((found) => found.trim()) ?? [];
  // A number counts with cents or a currency, or directly after its label: "the total due within 30 days" has no total.
  return (
    figures.findLast((found) => /[.,]\d{2}$|[^\d.,' -]/.test(found)) ??
    (/^[\s:]*-?[\d.,]+\s*$/.test(rest) ? figures.at(-1) : undefined) ??
    ''
  );
}
