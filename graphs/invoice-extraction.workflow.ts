import { extractionOf } from '#graphs/extraction.ts';

export const invoiceExtraction = extractionOf({
  id: 'wf_invoice_extraction',
  name: 'Invoice extraction',
  description:
    'Reads number, dates, seller, buyer, sums, tax and items of an invoice with their evidence, stores them as a record, and makes it searchable.',
  recordType: 'invoice',
});
