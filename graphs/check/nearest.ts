/** `Did you mean "x" or "y"?` for similar names, otherwise the list of known names. Ends with a full stop or a question mark. */
export function suggest(name: string, known: readonly string[], what: string): string {
  const near = nearest(name, known);
  if (near.length > 0) return `Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`;
  if (known.length === 0) return `There are no ${what}.`;
  const shown = known.slice(0, 20).join(', ');
  return `The ${what} are: ${shown}${known.length > 20 ? `, and ${known.length - 20} more` : ''}.`;
}

/** At most two known names that resemble `name`, the nearest first. */
export function nearest(name: string, known: readonly string[]): string[] {
  const wanted = name.slice(0, 64).toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return known
    .slice(0, 1_000)
    .map((one) => ({ one, distance: slips(wanted, one.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 2)
    .map(({ one }) => one);
}

/** Edit distance, or more than `limit` as soon as that is sure: a graph may have thousands of wrong names. */
function slips(from: string, to: string, limit: number): number {
  const tooFar = limit + 1;
  if (Math.abs(from.length - to.length) > limit) return tooFar;
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let left = 0; left < from.length; left += 1) {
    const next = [left + 1];
    let best = left + 1;
    for (let right = 0; right < to.length; right += 1) {
      const replaced = (row[right] ?? 0) + (from[left] === to[right] ? 0 : 1);
      const cost = Math.min(replaced, (row[right + 1] ?? 0) + 1, (next[right] ?? 0) + 1);
      next.push(cost);
      if (cost < best) best = cost;
    }
    if (best > limit) return tooFar;
    row = next;
  }
  return row[to.length] ?? tooFar;
}
