import { extractionOf } from '#graphs/extraction.ts';

export const receiptExtraction = extractionOf({
  id: 'wf_receipt_extraction',
  name: 'Receipt extraction',
  description:
    'Reads merchant, date, total, tax, currency and items of a receipt with their evidence, stores them as a record, and makes it searchable.',
  recordType: 'receipt',
});
