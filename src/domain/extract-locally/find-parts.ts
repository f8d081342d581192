import type { Role } from '#src/domain/extract-locally/line-roles.ts';
import { labelledAmounts, type FoundTotal, type LabelledAmount } from '#src/domain/extract-locally/find-total.ts';
import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';

export interface FoundParts {
  /** Sum of both. */
  readonly whole: FoundTotal;
  readonly net: FoundTotal;
  readonly tax: FoundTotal;
}

/** Points of a label for being that of the sum before tax, and of the tax. */
const netPoints: Partial<Readonly<Record<Role, number>>> = { net: 2, total: 1, grand: 1, none: 0.3, paid: 0.3 };
const taxPoints: Partial<Readonly<Record<Role, number>>> = { tax: 2, none: 0.3, total: 0.3 };
/** Points of a pair for adding up to what is the total by its label. */
const wholePoints: Partial<Readonly<Record<Role, number>>> = { grand: 0.6, total: 0.3 };
/** Points of a pair: one of both labels must say what it is. */
const leastPoints = 2;
/** Most amounts of a kind, so that a long text makes no millions of pairs. */
const mostAmounts = 60;

/**
 * The sum before tax and the tax of an invoice or receipt: two amounts that add up to a third one, best to `total`, by their labels. null
 * if no two amounts do so. Amounts of single rates are no such pair.
 */
export function findParts(pages: readonly (readonly PlacedLine[])[], total: FoundTotal | null): FoundParts | null {
  const amounts = labelledAmounts(pages).slice(-mostAmounts);
  const wholes = Map.groupBy(amounts, ({ amount }) => amount.cents);
  const isTotal = (cents: number): boolean => total !== null && Math.round(total.value.amount * 100) === cents;
  let best: (Record<'whole' | 'net' | 'tax', LabelledAmount> & { readonly points: number }) | null = null;
  for (const net of amounts)
    for (const tax of amounts) {
      const sum = net.amount.cents + tax.amount.cents;
      if (tax === net || Math.abs(tax.amount.cents) > Math.abs(net.amount.cents)) continue;
      const whole = wholes
        .get(sum)
        ?.filter((one) => one !== net)
        .toSorted((one, other) => pointsOf(other) - pointsOf(one))[0];
      if (whole === undefined) continue;
      const points =
        (netPoints[net.role] ?? -1) + (taxPoints[tax.role] ?? -1) + (isTotal(sum) ? 1 : 0) + pointsOf(whole);
      if (points >= leastPoints && (best === null || points > best.points)) best = { whole, net, tax, points };
    }
  if (best === null) return null;
  const sure = best.points >= 5 ? 0.97 : best.points >= 4 ? 0.9 : 0.7;
  return { whole: foundAt(best.whole, sure), net: foundAt(best.net, sure), tax: foundAt(best.tax, sure) };
}

const pointsOf = ({ role }: LabelledAmount): number => wholePoints[role] ?? 0;

function foundAt({ amount: { amount, currency, start, end }, line }: LabelledAmount, sure: number): FoundTotal {
  return { value: { amount, currency }, start: line.start + start, end: line.start + end, sure };
}
