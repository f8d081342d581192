import sharp from 'sharp';
import { blankSheet } from '#scripts/fixtures/sheet.ts';

/** Values of a receipt of one shop. */
export interface ReceiptValues {
  readonly number: string;
  readonly date: string;
  readonly prices: readonly [string, string, string, string];
  readonly total: string;
}

const items = ['OAT MILK 1L', 'RYE BREAD SLICED', 'EGGS FREE RANGE 10', 'OLIVE OIL EXTRA 750ML'] as const;

/** A receipt of a shop whose receipts all have the same items, so that only their values differ. */
export async function drawReceipt({ number, date, prices, total }: ReceiptValues): Promise<Buffer> {
  const { sheet, canvas } = blankSheet({ width: 227, height: 360, dpi: 200 }, { font: 'mono', size: 9.6 });
  const pair = (label: string, value: string): void => {
    sheet.row({ text: label, x: 14 }, { text: value, x: 213, align: 'right' });
  };
  sheet.y = 18;
  for (const text of ['PEPPERCORN GROCERS', '41 Tannery Road, Eastvale', 'Tel. 555-0187', 'Tax No. 88-4410927'])
    sheet.row({ text, x: 113.5, align: 'center' });
  sheet.gap(8);
  pair('Receipt No.', number);
  pair('Date', date);
  sheet.gap(8);
  for (const [at, item] of items.entries()) pair(item, prices[at] ?? '');
  sheet.gap(8);
  pair('TOTAL EUR', total);
  sheet.gap(10);
  sheet.row({ text: 'Thank you for shopping with us!', x: 113.5, align: 'center' });
  return canvas.encode('png');
}

/** A page of a printed form, filled in. */
export async function drawForm(values: Readonly<Record<string, string>>): Promise<Buffer> {
  const { sheet, canvas } = blankSheet({ width: 595, height: 600, dpi: 150 }, { font: 'sans', size: 12 });
  sheet.y = 52;
  sheet.text(56, 'Application for a Resident Parking Permit', { font: 'sans', size: 19, weight: 700 });
  sheet.text(56, 'Form RP-1204 of 2023. Return it to room 318, telephone 555-0140.').gap(12);
  for (const [name, value] of Object.entries(values)) sheet.text(56, `${name}: ${value}`).gap(20);
  sheet.paragraph(
    56,
    480,
    'The vehicle is registered in my name. I will return the permit when I move away or sell it.',
  );
  return canvas.encode('png');
}

/** One page saved and scanned again, by what was done to it. */
export const copiesOf = (page: Buffer): Readonly<Record<string, () => Promise<Buffer>>> => ({
  'saved as JPEG': () => sharp(page).jpeg({ quality: 60 }).toBuffer(),
  'saved at 70 % of its size': async () => {
    const { width } = await sharp(page).metadata();
    return sharp(page)
      .resize(Math.round(width * 0.7))
      .jpeg()
      .toBuffer();
  },
  'saved in gray and darker': () => sharp(page).grayscale().modulate({ brightness: 0.94 }).jpeg().toBuffer(),
  'turned by one degree': () => sharp(page).rotate(1, { background: '#ffffff' }).jpeg({ quality: 90 }).toBuffer(),
  'cut by 1.5 % at each edge': async () => {
    const { width, height } = await sharp(page).metadata();
    const [left, top] = [Math.round(width * 0.015), Math.round(height * 0.015)];
    return sharp(page)
      .extract({ left, top, width: width - 2 * left, height: height - 2 * top })
      .jpeg({ quality: 90 })
      .toBuffer();
  },
});
