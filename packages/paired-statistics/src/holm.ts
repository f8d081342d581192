/** p-values adjusted for having tested all of them, in the given order. Source: Holm, Scandinavian Journal of Statistics 6 (1979). */
export function holmAdjusted(values: readonly number[]): number[] {
  const order = values.map((p, at) => ({ p, at })).toSorted((a, b) => a.p - b.p);
  const adjusted = Array.from<number>({ length: values.length });
  let highest = 0;
  for (const [rank, { p, at }] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (values.length - rank) * p));
    adjusted[at] = highest;
  }
  return adjusted;
}
