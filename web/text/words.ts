const isPseudo =
  new URLSearchParams((globalThis as { location?: { search: string } }).location?.search ?? '').get('lang') === 'en-XA';

/** Lengthens and marks a text, so that a literal that is not in a table of words shows at once. */
const pseudo = (text: string): string => `[${text.replaceAll(/[aeiou]/g, (vowel) => `${vowel}\u0301`)}~]`;

function translated(value: unknown): unknown {
  if (typeof value === 'string') return pseudo(value);
  if (typeof value === 'function') {
    const made = value as (...args: readonly unknown[]) => unknown;
    return (...args: readonly unknown[]) => translated(made(...args));
  }
  if (Array.isArray(value)) return value.map(translated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, translated(inner)]));
}

/** A table of words of one part of the dashboard: texts, and functions that build one. `?lang=en-XA` marks them all. */
export function words<Table extends object>(table: Table): Table {
  return isPseudo ? (translated(table) as Table) : table;
}
