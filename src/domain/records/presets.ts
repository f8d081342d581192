import type { RecordField } from '#src/contracts/records/record-type.ts';
import type { RecordRule } from '#src/domain/records/record-type.ts';

export interface Preset {
  readonly name: string;
  readonly title: string;
  readonly fields: Readonly<Record<string, RecordField>>;
  readonly rules: readonly RecordRule[];
}

const items: RecordField = {
  type: 'list',
  description: 'One row for each thing or service',
  fields: {
    description: { type: 'string', aliases: ['Description', 'Item', 'Article', 'Bezeichnung', 'Artikel'] },
    quantity: { type: 'number', aliases: ['Qty', 'Quantity', 'Menge', 'Anzahl'] },
    unitPrice: { type: 'money', aliases: ['Unit price', 'Price', 'Einzelpreis', 'Preis'] },
    amount: { type: 'money', aliases: ['Amount', 'Total', 'Betrag', 'Gesamtpreis'] },
  },
};

const addsUp: RecordRule = {
  name: 'adds-up',
  // Cents can be rounded line by line.
  expression: 'total.amount - net.amount - tax.amount < 0.05 && net.amount + tax.amount - total.amount < 0.05',
  message: 'net and tax do not add up to the total',
};

/** Types that every project has until it saves its own of the same name. */
export const presets: readonly Preset[] = [
  {
    name: 'invoice',
    title: 'Invoice',
    fields: {
      number: {
        type: 'string',
        aliases: [
          'Invoice number',
          'Invoice no',
          'Invoice #',
          'Rechnungsnummer',
          'Rechnung Nr',
          'Beleg-Nr',
          'Belegnummer',
          'Numéro de facture',
        ],
        required: true,
      },
      date: {
        type: 'date',
        aliases: ['Invoice date', 'Date', 'Rechnungsdatum', 'Datum', 'Belegdatum', 'Date de facture'],
        required: true,
      },
      dueDate: {
        type: 'date',
        aliases: ['Due date', 'Payment due', 'Fällig am', 'Zahlbar bis', 'Fälligkeitsdatum', "Date d'échéance"],
      },
      vendor: { type: 'string', description: 'Name of the company that sent the invoice' },
      customer: {
        type: 'string',
        description: 'Name of whom it asks to pay',
        aliases: ['Bill to', 'Customer', 'Kunde'],
      },
      net: { type: 'money', aliases: ['Net amount', 'Net total', 'Subtotal', 'Nettobetrag', 'Zwischensumme'] },
      tax: { type: 'money', aliases: ['Tax', 'VAT', 'Sales tax', 'GST', 'MwSt', 'USt'] },
      total: {
        type: 'money',
        description: 'What is to be paid in all, with tax',
        aliases: ['Total', 'Amount due', 'Grand total', 'Gesamtbetrag', 'Rechnungsbetrag', 'Summe'],
        required: true,
      },
      items,
    },
    rules: [addsUp],
  },
  {
    name: 'receipt',
    title: 'Receipt',
    fields: {
      merchant: { type: 'string', description: 'Name of the shop or company that was paid' },
      date: { type: 'date', description: 'Day of the purchase', aliases: ['Date', 'Datum'] },
      total: {
        type: 'money',
        description: 'What was paid in all, with tax',
        aliases: ['Total', 'Amount due', 'Grand total', 'Summe', 'Gesamt'],
        required: true,
      },
      tax: { type: 'money', description: 'Tax contained in the total', aliases: ['Tax', 'VAT', 'Sales tax', 'MwSt'] },
      currency: { type: 'string', description: 'Currency of the total, as an ISO code or as it is printed' },
      items,
    },
    rules: [],
  },
];
