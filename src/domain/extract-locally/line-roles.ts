import { textDistance } from '#src/domain/documents/text-distance.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';

/** Meaning of the amounts of a line, by its words. */
export type Role = 'grand' | 'total' | 'paid' | 'tendered' | 'change' | 'net' | 'tax' | 'rounding' | 'other' | 'none';

const phrases = (...alternatives: readonly string[]): RegExp => new RegExp(`\\b(?:${alternatives.join('|')})\\b`, 'u');

/** Roles by the words of a line, the first that fits. English first, then German, French, Spanish, Italian and Dutch. */
const roles: readonly (readonly [Role, RegExp])[] = [
  [
    'other',
    phrases(
      'total (?:[goq]ty|quantity|items?|pcs|discounts?|disc|savings?|saved|weight|points?)',
      'supplies',
      'you saved',
      'savings?',
      'points?',
    ),
  ],
  [
    'tax',
    phrases(
      'ta[xy] (?:total|amount|amt)',
      'total ?ta[xy](?:es)?',
      '(?:total )?includ(?:ed|es|ing) (?:gst|vat|tax)',
      'tax included',
      '(?:vat|gst|sst|tva|iva|btw|ust|mwst) total',
      'total (?:vat|gst|sst|tva|iva|btw|ust|mwst)',
      'steuer(?:gesamt)?betrag',
      '(?:zzgl|zuzugl|zuzuglich|plus) (?:\\d+ )?(?:vat|ust|mwst|umsatzsteuer|mehrwertsteuer)',
    ),
  ],
  [
    'change',
    phrases(
      'changes?',
      'change due',
      'wechselgeld',
      'ruckgeld',
      'zuruck',
      'monnaie',
      'rendu',
      'cambio',
      'resto',
      'wisselgeld',
    ),
  ],
  ['grand', phrases('after round(?:ing|ed)')],
  [
    'rounding',
    phrases(
      'round(?:ing|ed)? ?(?:adj\\w*|adjustments?|off|diff\\w*|amt|amount)',
      'rounding',
      'rundung',
      'rnd(?:ing)? adj',
    ),
  ],
  [
    'net',
    phrases(
      'sub ?-?total\\w*',
      'sub ?ttl',
      'sub to\\w',
      's total',
      'zwischensumme',
      'nettobetrag',
      'netto',
      '\\w*(?:summe|betrag|gesamt) (?:ohne|exkl|exklusive|vor) (?:ust|mwst|umsatzsteuer|mehrwertsteuer|steuern?)',
      'sous total',
      'subtotale',
      'subtotaal',
      'total (?:sales? )?(?:\\w+ )?(?:excl?|excluding|exclusive|before|without|w o|ex|hors|ht)\\b.*',
      'excl?(?:uding|usive)?\\.? .*total',
      'taxable(?: amount| amt)?',
      'net sales?',
    ),
  ],
  [
    'grand',
    phrases(
      'grand total',
      'total (?:amount |amt )?(?:due|payable|to pay)',
      'amount (?:due|payable|to pay)',
      'balance due',
      'nett? (?:total|amount|amt)',
      'total nett?',
      'total (?:sales? )?(?:amount |amt )?(?:\\w+ )?(?:incl?|including|inclusive|with|after)\\b.*',
      'round(?:ed|ing)? total',
      'total round(?:ed|ing)?',
      'total (?:rm|myr|eur|usd|gbp|chf|sgd)',
      'total pay\\w*',
      'gesamtbetrag',
      'endbetrag',
      'brutto\\w*',
      'zahlbetrag',
      '\\w*(?:summe|betrag|gesamt) (?:inkl|inklusive|incl|mit) (?:ust|mwst|umsatzsteuer|mehrwertsteuer|steuern?)',
      'due payable',
      'zu zahlen(?:der betrag)?',
      'rechnungsbetrag',
      'total ttc',
      'net a payer',
      'importe total',
      'total a pagar',
      'totale complessivo',
      'te betalen',
      'bill total',
      'total bill',
    ),
  ],
  [
    'tax',
    phrases(
      'gst',
      'vat',
      'sst',
      'tax(?:es)?',
      'mwst',
      'ust',
      'umsatzsteuer',
      'mehrwertsteuer',
      'tva',
      'iva',
      'btw',
      'service (?:charge|chg|tax)',
      'svc chg',
    ),
  ],
  ['total', phrases('total\\w*', 'ttl', 'summe', 'gesamt\\w*', 'montant', 'importe', 'totaal', 'bedrag')],
  [
    'tendered',
    phrases(
      'cash(?: received)?',
      'tender\\w*',
      'bar',
      'gegeben',
      'especes',
      'efectivo',
      'contanti',
      'contant',
      'amount received',
      'received',
      'paid amount',
      'amount paid',
      'paid',
    ),
  ],
  [
    'paid',
    phrases(
      'visa\\w*',
      'master(?: ?card)?',
      'credit(?: card)?',
      'debit(?: card)?',
      'card',
      'ec karte',
      'girocard',
      'payments?',
      'bank card',
      'amex',
      'carte',
      'tarjeta',
      'maestro',
      'balance',
      'amount',
      'amt',
      'due',
      'betrag',
    ),
  ],
  [
    'other',
    phrases(
      'discounts?',
      'disc',
      'rabatt',
      'remise',
      'descuento',
      'deposit',
      'qty',
      'items?',
      'price',
      'unit',
      'each',
      'tel',
      'fax',
      'summary',
      'weight',
      'kg',
      'id',
      'no',
    ),
  ],
];

/** Folded words, with digits inside of words as the letters that they were: `T0TAL` is `total`. */
export function spoken(text: string): string {
  return foldText(text)
    .replaceAll(/(?<=\p{L})0|0(?=\p{L}{2})/gu, 'o')
    .replaceAll(/(?<=\p{L})1(?=\p{L}|\b)/gu, 'l')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .map(unmisread)
    .join(' ');
}

/** Words of labels that are long enough to be known with one letter misread. */
const labels = [
  'total',
  'subtotal',
  'rounding',
  'change',
  'grand',
  'amount',
  'payable',
  'inclusive',
  'balance',
  'items',
  'payment',
];

function unmisread(word: string): string {
  if (word.length < 4 || labels.includes(word)) return word;
  const alike = labels.find((label) => {
    const gap = Math.abs(label.length - word.length);
    return gap <= 1 && textDistance(label, word) === 1;
  });
  return alike ?? word;
}

/** Role of the amounts of a line with these words. */
export function roleOf(words: string): Role {
  return roles.find(([, pattern]) => pattern.test(words))?.[0] ?? 'none';
}

/** Starts the table of taxes that tills print below the total: its sums are parts. */
export const taxTable = /\b(?:gst|vat|tax|sst|mwst|ust|tva|iva|btw) (?:summary|analysis|code|rate|satz|betrag)\b/u;
