import type { Comparison } from './compare.ts';
import { maxLostShare } from './summary.ts';

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
const percent = (rate: number): string => `${Math.ceil(rate * 100)} %`;

/** Says what would decide. A comparison without any spread knows no smallest difference. */
function advice({ n, mean, detectable }: Comparison): string {
  const smallest = detectable.toFixed(3);
  if (smallest === '0.000') return 'All items differ by the same: measure more of them, and other ones.';
  // A large difference that was not decided lacks a proof for every distribution, and a bound of the harm: only more items give them.
  if (Math.abs(mean) >= detectable)
    return `The difference is large, but ${n} items do not show that it holds on others and that harm is rare: measure more items.`;
  return `As many items show a mean difference of ${smallest} or more; measure more items to see a smaller one.`;
}

/** Number of lost items, as it begins a sentence or follows a colon. */
const lostOf = ({ lost, n }: Pick<Comparison, 'lost' | 'n'>): string => `${lost} of ${n} items were lost`;

/** The verdict as a sentence for people: the claim, its size, the harm that stays possible, and the items that were lost. */
export function sentenceOf(comparison: Comparison): string {
  const { lost, verdict } = comparison;
  const said = verdictOf(comparison);
  if (lost === 0 || verdict === 'no_verdict') return said;
  const same = verdict === 'inconclusive' ? '' : '; the verdict is the same whatever they would have been';
  return `${said} ${lostOf(comparison)}${same}.`;
}

function verdictOf(comparison: Comparison): string {
  const { n, mean, interval, verdict, claim, harm, lost } = comparison;
  if (verdict === 'no_verdict')
    return `No verdict: ${lostOf(comparison)}, and at most ${percent(maxLostShare)} may be.`;
  const size = `${signed(mean)} [${signed(interval[0])}, ${signed(interval[1])}] on ${n} items`;
  const did = lost === 0 ? 'did' : 'did, or were lost';
  const harmed = `up to ${percent(harm.upperBound)} of items could lose ${harm.size} or more (${harm.seen} of ${n} ${did})`;
  if (verdict === 'better') return `Better ${claim === 'mean' ? 'in the mean' : 'on most items'}: ${size}; ${harmed}.`;
  if (verdict === 'worse') return `Worse ${claim === 'mean' ? 'in the mean' : 'on most items'}: ${size}; ${harmed}.`;
  if (verdict === 'equivalent') return `No difference that matters: ${size}; ${harmed}.`;
  return `Not decided: ${size}; ${harmed}. ${advice(comparison)}`;
}
