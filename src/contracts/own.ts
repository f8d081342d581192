/** Looks a name from outside up in a table. A plain index would find `constructor` and `__proto__` in every object. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
