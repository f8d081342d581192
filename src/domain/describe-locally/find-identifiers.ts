import { distinct, fieldsBy, type KeyField } from '#src/domain/describe-locally/key-field.ts';

/** Matches codes such as `BW 7740 1126` and `INV-2024-00873`: optional capitals, digits with separators, groups after single spaces. */
const code = String.raw`((?:[A-Z]{1,5}[ -]?){0,2}\d[\dA-Z]*(?:[./-][\dA-Z]+)*(?: \d[\dA-Z]+){0,3})(?![\d.,%:]*\d)`;
const number = String.raw`(?:[ \t]*(?:number|num|no|nr|id|nummer|numero|№|#)\b\.?)`;

/** Labels and their field name, the most specific first, since each passage is read once. */
const labels: readonly (readonly [label: string, name: string, needsNumberWord: boolean])[] = [
  ['statement(?: of account)?|kontoauszug', 'statement number', true],
  ['invoice|rechnung|facture|factura|fattura', 'invoice number', false],
  ['rechnungs', 'invoice number', true],
  ['receipt|slip|beleg|bon', 'receipt number', false],
  ['delivery note|lieferschein', 'delivery number', false],
  ['purchase order|your order|order|bestellung|commande', 'order number', false],
  ['policy', 'policy number', false],
  ['claim', 'claim number', false],
  ['customer|client|kunden', 'customer number', false],
  ['contract|vertrag', 'contract number', true],
  ['tax|vat|steuer', 'tax number', true],
  ['(?:our |your )?(?:reference|ref)\\.?', 'reference', false],
  ['license plate|licence plate|registration', 'license plate', false],
  ['form|formular', 'form number', false],
  ['card ending(?: in)?', 'card ending', false],
  ['case|ticket|booking|permit|serial|member', 'number', true],
];

const iban = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){3,7}(?: ?[A-Z\d]{1,3})?\b/g;
const issue = /\b(No\.? ?\d{1,5})(?=, [A-Z])/g;

/** Finds labelled numbers and codes, and IBANs, as written. */
export function findIdentifiers(text: string): KeyField[] {
  const found: KeyField[] = fieldsBy(text, iban, 'iban');
  for (const [label, name, needsNumberWord] of labels) {
    // Labels match any case, codes only capitals: "order to" is not an order number.
    const pattern = new RegExp(
      `\\b(?:${anyCase(label)})${anyCase(number)}${needsNumberWord ? '' : '?'}[ \\t]*[:#]?[ \\t]*${code}`,
      'g',
    );
    for (const field of fieldsBy(text, pattern, name)) {
      if (field.value.length >= 3 && !found.some((other) => Math.abs(other.at - field.at) < 4)) found.push(field);
    }
  }
  found.push(...fieldsBy(text, issue, 'issue'));
  return distinct(found, 12);
}

/** Makes a pattern case-insensitive: `[aA][bB]` for `ab`; keeps escapes and groups. */
function anyCase(pattern: string): string {
  return pattern.replace(/\\.|\(\?|[a-z]/g, (part) => (part.length === 1 ? `[${part}${part.toUpperCase()}]` : part));
}
