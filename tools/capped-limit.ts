const limitOf = (of: unknown): unknown =>
  typeof of === 'object' && of !== null && 'limit' in of ? of.limit : undefined;

/** Page size that was used instead of a larger one that was asked for; null: the one that was asked for. Source: `lists.limit_capped`. */
export function cappedLimit(asked: unknown, used: unknown): number | null {
  const limit = limitOf(used);
  return typeof limit === 'number' && Number(limitOf(asked)) > limit ? limit : null;
}
