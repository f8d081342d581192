import type { KeyField } from '#src/domain/describe-locally/key-field.ts';
import { localFinder } from '#src/domain/extract-locally/extract-locally.ts';
import type { Evidence, Money } from '#src/domain/extract-locally/field.ts';
import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import { rulesOf } from '#src/domain/records/from-fields.ts';
import { presets } from '#src/domain/records/presets.ts';

/** Facts of an invoice, by the rules that its record is found by, so that title and record say the same. */
export interface InvoiceFacts {
  /** ISO 8601; null if unknown. */
  readonly date: string | null;
  readonly total: Money | null;
  /** Number, date and total as written, by their names in a description. */
  readonly fields: readonly KeyField[];
}

const rules = rulesOf(presets.find(({ name }) => name === 'invoice')?.fields ?? {});
const named = { number: 'invoice number', date: 'date', total: 'total' } as const;
/** Least confidence of a value that a description states. */
const least = 0.55;

/** Number, day and total of an invoice as far as these lines tell them; `text` has the lines in it. */
export function invoiceFacts(text: string, lines: readonly PlacedLine[]): InvoiceFacts {
  const find = localFinder({ text: text.replaceAll('\f', '\n'), pages: [{ lines: lines.map(({ line }) => line) }] });
  const found = (name: keyof typeof named) => {
    const rule = rules[name];
    const { value, evidence, confidence } =
      rule === undefined ? { value: null, evidence: null, confidence: 0 } : find(name, rule);
    return confidence < least ? null : { name: named[name], value, evidence: evidence as Evidence };
  };
  const [number, date, total] = [found('number'), found('date'), found('total')];
  return {
    date: (date?.value ?? null) as string | null,
    total: (total?.value ?? null) as Money | null,
    fields: [number, date, total].flatMap((one) =>
      one === null ? [] : [{ name: one.name, value: one.evidence.text, at: one.evidence.start }],
    ),
  };
}
