import { textDistance } from '#src/domain/documents/text-distance.ts';
import { amountsIn, pointlessAmount, type Amount } from '#src/domain/extract-locally/amounts.ts';
import type { Money } from '#src/domain/extract-locally/field.ts';
import type { Span } from '#src/domain/extract-locally/locate-quote.ts';
import { roleOf, spoken, taxTable, type Role } from '#src/domain/extract-locally/line-roles.ts';
import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';

/** Points of a label for being that of the total. */
const strength: Readonly<Record<Role, number>> = {
  grand: 3.3,
  total: 2.2,
  paid: 1,
  tendered: 0.4,
  change: -2.5,
  net: 0.2,
  tax: -1.5,
  rounding: -2.5,
  other: -0.8,
  none: 0,
};

interface Row {
  readonly line: PlacedLine;
  readonly amounts: readonly Amount[];
  /** An amount without its point, which counts only where sums lead to it. */
  readonly pointless: Amount | null;
  /** Words of the line without its amounts. */
  readonly words: string;
  readonly role: Role;
}

/** Labels of amounts that sums are made of. */
const summed: ReadonlySet<Role> = new Set(['grand', 'total', 'tendered', 'change', 'net']);

function rowOf(line: PlacedLine): Row {
  const { text } = line.line;
  const amounts = amountsIn(text);
  let rest = '';
  let from = 0;
  for (const { start, end } of amounts) {
    rest += `${text.slice(from, start)} `;
    from = end;
  }
  const words = spoken(rest + text.slice(from));
  const role = roleOf(words);
  return {
    line,
    amounts,
    pointless: amounts.length === 0 && summed.has(role) ? pointlessAmount(text) : null,
    words,
    role,
  };
}

/** Cents from which an amount beside the word for rounding is no difference. */
const leastRounded = 100;

/** Points below which no label speaks of a total. */
const leastPoints = 0.3;

/** Confidence of an amount elsewhere on the page, to which cash less change leads, and of which the labelled one is a misreading. */
const asPaid = 0.75;

/** Points of an amount to which both cash less change and net with tax lead: more than those of a label beside a misread amount. */
const bothWays = 2;

/** An amount with the role and the points of its label. */
interface Candidate {
  readonly amount: Amount;
  readonly line: PlacedLine;
  readonly role: Role;
  readonly points: number;
  /** Its label would do if sums led to it: a total that names a tax, or an amount without its point. */
  readonly needsSum: boolean;
}

const hasWords = (words: string): boolean =>
  /\p{L}{2}/u.test(words.replaceAll(/\b(?:rm|myr|eur|usd|gbp|chf|sgd|sr|zrl|s|z)\b/gu, ''));

/** A row and the one that has its label: itself, the one beside it, or the one above it. */
interface Labelled {
  readonly row: Row;
  readonly label: Row;
}

/** The rows of all pages, each with that of its label. */
function labelledRows(pages: readonly (readonly PlacedLine[])[]): Labelled[] {
  const rows = pages.flat().map(rowOf);
  const labels = rows.filter(({ amounts, role }) => amounts.length === 0 && role !== 'none');
  return rows.map((row, at) => ({ row, label: labelOf(row, { rows, at, labels }) }));
}

/** The label of a row: the amount may stand below it, or on a line that recognition split off. `labels`: rows with a role and no amount. */
function labelOf(
  row: Row,
  { rows, at, labels }: { readonly rows: readonly Row[]; readonly at: number; readonly labels: readonly Row[] },
): Row {
  if (hasWords(row.words)) return row;
  const box = row.line.line.box;
  const beside = labels.find((other) => {
    const [, y, , height] = other.line.line.box;
    return other !== row && Math.abs(y + height / 2 - box[1] - box[3] / 2) < Math.min(height, box[3]) * 0.6;
  });
  if (beside !== undefined) return beside;
  // Not over a row with an amount of its own: that one has its label.
  for (let above = at - 1; above >= Math.max(0, at - 2); above -= 1) {
    const found = rows[above];
    // A count or a rate of its own: the amounts below are those of something else.
    if (found === undefined || found.amounts.length > 0 || /\d/u.test(found.words)) return row;
    if (found.role !== 'none') return found;
  }
  return row;
}

function candidatesOf(rows: readonly Labelled[]): Candidate[] {
  const table = rows.findIndex(({ row }) => taxTable.test(row.words));
  return rows.flatMap(({ row, label }, at) => {
    if (row.pointless !== null) {
      const points = strength[row.role] - 0.4;
      return [{ amount: row.pointless, line: row.line, role: row.role, points, needsSum: true }];
    }
    const needsSum = label.role === 'tax' && /^total\b/u.test(label.words);
    const far = (label === row ? 0 : 0.3) + (table !== -1 && at > table ? 1.2 : 0);
    return row.amounts.flatMap((amount, index): Candidate[] => {
      // Weights and counts have one decimal, too.
      if (amount.cents <= 0 || (amount.isCut && label.role !== 'grand' && label.role !== 'total')) return [];
      const isLast = index === row.amounts.length - 1;
      // The last amount of a line is its sum; those before it are prices, rates or parts.
      const points = strength[label.role] - far - (isLast ? 0 : 0.9) + (amount.currency === null ? 0 : 0.1);
      return [{ amount, line: row.line, role: label.role, points, needsSum }];
    });
  });
}

/** A candidate that needs a sum, as one that has it, or not at all. */
function summedUp(candidate: Candidate, sums: ReadonlySet<number>): Candidate[] {
  if (!candidate.needsSum) return [candidate];
  if (sums.has(candidate.amount.cents)) return [{ ...candidate, points: Math.max(candidate.points, strength.total) }];
  return candidate.role === 'tax' ? [candidate] : [];
}

/** Most amounts of a kind that sums are made of, so that a long text makes no millions of them. */
const mostParts = 40;

/** Cents of the last amounts of lines with a role: different ones, and of many the last. */
function centsOf(rows: readonly Labelled[], ...wanted: readonly Role[]): number[] {
  const all = rows.flatMap(({ row, label }) => {
    const last = row.amounts.at(-1) ?? row.pointless;
    return last !== null && last !== undefined && wanted.includes(label.role) ? [last.cents] : [];
  });
  return [...new Set(all)].slice(-mostParts);
}

interface Sums {
  readonly once: ReadonlySet<number>;
  readonly twice: ReadonlySet<number>;
  /** Cash less change alone. */
  readonly less: ReadonlySet<number>;
}

/**
 * Sums of a document that an amount can be: cash less change, and net with tax, each with the rounding of the till, whose sign recognition
 * loses. `twice`: those that both ways lead to.
 */
function sumsOf(rows: readonly Labelled[]): Sums {
  const paid = centsOf(rows, 'tendered', 'paid').map(Math.abs);
  const change = centsOf(rows, 'change').filter((cents) => cents >= 0);
  const net = centsOf(rows, 'net', 'total').filter((cents) => cents > 0);
  const tax = centsOf(rows, 'tax').filter((cents) => cents > 0);
  const rounding = [0, ...centsOf(rows, 'rounding').flatMap((cents) => [cents, -cents])];
  const rounded = (cents: number): number[] => rounding.map((bit) => cents + bit);
  const less = new Set(
    paid.flatMap((cash) => change.flatMap((back) => rounded(cash - back))).filter((cents) => cents > 0),
  );
  const more = new Set(net.flatMap((part) => tax.flatMap((added) => rounded(part + added))));
  return { once: new Set([...less, ...more]), twice: new Set([...less].filter((cents) => more.has(cents))), less };
}

/** Amounts before and after the till rounded them to five hundredths, as a line of the receipt says. */
function roundingOf(rows: readonly Labelled[], amounts: readonly number[]) {
  const known = new Set(amounts);
  const before = new Set<number>();
  const after = new Set<number>();
  if (rows.some(({ row }) => row.role === 'rounding'))
    for (const cents of known)
      for (const rounded of [Math.floor(cents / 5) * 5, Math.ceil(cents / 5) * 5])
        if (cents % 5 !== 0 && known.has(rounded)) {
          before.add(cents);
          after.add(rounded);
        }
  return { before, after };
}

/** An amount with the role of its label. */
export interface LabelledAmount {
  readonly role: Role;
  readonly amount: Amount;
  readonly line: PlacedLine;
}

/** The last amounts of all lines, with the roles of their labels, beside them or above. */
export function labelledAmounts(pages: readonly (readonly PlacedLine[])[]): LabelledAmount[] {
  return labelledRows(pages).flatMap(({ row, label }) => {
    const amount = row.amounts.at(-1);
    return amount === undefined ? [] : [{ role: label.role, amount, line: row.line }];
  });
}

export interface FoundTotal extends Span {
  readonly value: Money;
  /** 0..1, before the confidence of the reading. */
  readonly sure: number;
}

/**
 * The total of a receipt or invoice: every amount is weighed by its label, by how often it is printed, by its size, and by sums that
 * confirm it (cash less change, net and tax). null if no line speaks of a total.
 */
export function findTotal(pages: readonly (readonly PlacedLine[])[]): FoundTotal | null {
  const rows = labelledRows(pages);
  const sums = sumsOf(rows);
  const candidates = candidatesOf(rows).flatMap((one) => summedUp(one, sums.once));
  const places = Map.groupBy(candidates, ({ amount }) => amount.cents);
  const highest = Math.max(
    0,
    ...candidates.filter(({ role }) => role !== 'tendered' && role !== 'change').map(({ amount }) => amount.cents),
  );
  const rounds = roundingOf(rows, [...places.keys()]);
  const scored = [...places].map(([cents, at]) => {
    const found = at.reduce((one, other) => (other.points > one.points ? other : one));
    // `Rounding 14.40` below `Total 14.38` is the amount after rounding, not what it added.
    const isRounded = found.role === 'rounding' && cents >= leastRounded && rounds.after.has(cents);
    const best = isRounded ? { ...found, points: strength.grand } : found;
    const isTwice = sums.twice.has(cents);
    const isConfirmed = isTwice || ((sums.once.has(cents) || rounds.after.has(cents)) && best.points > 0);
    const lines = new Set(at.map(({ line }) => line)).size;
    const score =
      best.points +
      (isConfirmed ? 1.2 : 0) +
      (isTwice ? bothWays : 0) +
      0.35 * Math.min(3, lines - 1) +
      (cents === highest ? 0.6 : 0) +
      (rounds.after.has(cents) ? 1 : 0) -
      (rounds.before.has(cents) ? 1.2 : 0);
    return { best, score, isConfirmed, isTwice };
  });
  const ranked = scored.toSorted((one, other) => other.score - one.score);
  const [first, second] = ranked;
  if (first === undefined) return null;
  if (first.best.points < leastPoints && !first.isTwice) return unlabelled(candidates);
  const { best, isConfirmed, score } = first;
  const paid = candidates.findLast(
    ({ amount: { cents } }) => !isConfirmed && sums.less.has(cents) && isMisread(best.amount.cents, cents),
  );
  if (paid !== undefined) return foundAt(paid, asPaid);
  const lead = score - (second?.score ?? 0);
  return foundAt(best, sureOf({ isConfirmed, lead, points: best.points }));
}

/** True for amounts of the same length of which one digit differs. */
function isMisread(cents: number, other: number): boolean {
  const [one, two] = [String(cents), String(other)];
  return one.length === two.length && textDistance(one, two) === 1;
}

/** The amount that all unlabelled ones before it add up to: two at least. */
function sumOfItems(candidates: readonly Candidate[]): Candidate | undefined {
  let sum = 0;
  for (const [at, candidate] of candidates.entries()) {
    if (at > 1 && candidate.amount.cents === sum) return candidate;
    sum += candidate.amount.cents;
  }
  return undefined;
}

/**
 * Without a label that could be read: the amount that the others add up to, or the one that is printed most often, twice at least, and of
 * those the highest.
 */
function unlabelled(candidates: readonly Candidate[]): FoundTotal | null {
  const plain = candidates.filter(({ role }) => role === 'none' || role === 'other' || role === 'net');
  const sum = sumOfItems(candidates);
  if (sum !== undefined) return foundAt(sum, 0.6);
  const [most] = [...Map.groupBy(plain, ({ amount }) => amount.cents).values()].toSorted(
    (one, other) => other.length - one.length || (other[0]?.amount.cents ?? 0) - (one[0]?.amount.cents ?? 0),
  );
  const last = most?.at(-1);
  return most === undefined || last === undefined || most.length < 2 ? null : foundAt(last, 0.35);
}

function foundAt({ amount, line }: Candidate, sure: number): FoundTotal {
  const value = { amount: amount.amount, currency: amount.currency };
  return { value, start: line.start + amount.start, end: line.start + amount.end, sure };
}

function sureOf({ isConfirmed, lead, points }: { isConfirmed: boolean; lead: number; points: number }): number {
  if (isConfirmed && lead > 0.8) return 0.97;
  if (points >= 2.9 && lead > 1) return 0.92;
  if (lead > 1) return 0.85;
  return lead > 0.4 ? 0.7 : 0.55;
}
