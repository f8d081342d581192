/** Carries out `task` for all items, `places` at a time, in their order. The first error ends it. */
export async function sideBySide<Item>(
  items: readonly Item[],
  places: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: Math.min(places, items.length) }, async () => {
      for (const item of rest) await task(item);
    }),
  );
}
