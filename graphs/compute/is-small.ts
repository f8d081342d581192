/** Characters, items and members of a scope in which an expression without loops takes less than about a millisecond. */
const most = 20_000;

/** True for values of few characters, items and members. Looks at `most` of them, not at all. */
export function isSmall(values: readonly unknown[]): boolean {
  let left = most;
  const open: unknown[] = [...values];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    left -= 1;
    if (typeof value === 'string') left -= value.length;
    else if (Array.isArray(value)) {
      if (value.length > left) return false;
      open.push(...(value as unknown[]));
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.values(value);
      if (members.length > left) return false;
      open.push(...(members as unknown[]));
    }
    if (left < 0) return false;
  }
  return true;
}
