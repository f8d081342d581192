import { expect, test } from 'vitest';
import { fieldName } from '#web/text/field-name.ts';

test.each([
  ['total', 'Total'],
  ['dueDate', 'Due date'],
  ['net_sum', 'Net sum'],
  ['seller.vatId', 'Seller VAT ID'],
  ['sellerVATId', 'Seller VAT ID'],
  ['items.0.unitPrice', 'Items 1 unit price'],
  ['line_2', 'Line 2'],
  ['items.11.line_2', 'Items 12 line 2'],
  ['größeInMeter', 'Größe in meter'],
  ['合計', '合計'],
])('the field %s is shown as %j', (path, name) => {
  expect(fieldName(path)).toBe(name);
});
