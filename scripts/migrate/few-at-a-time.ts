/** Works on a few items at a time, and returns the results in the order of the items. */
export async function fewAtATime<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  return results;
}
