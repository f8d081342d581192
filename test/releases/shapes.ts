import type { Document } from 'mongodb';

/** Types of the values at each path of the rows of a collection, and the paths that every row has. */
interface Shape {
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
  readonly everywhere: ReadonlySet<string>;
}

/** Fields with one of few words, which a reader compares. */
const words = new Set(['status', 'kind', 'type', 'lane', 'source', 'family', 'role', 'visibility', 'mode', 'by']);

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  if (value instanceof Date) return 'date';
  const { _bsontype: name } = value as { _bsontype?: string };
  if (name === undefined) return 'object';
  return ['Int32', 'Double', 'Long'].includes(name) ? 'number' : name;
}

function note(value: unknown, path: string, noted: Map<string, Set<string>>): void {
  const type = typeOf(value);
  const types = noted.get(path) ?? new Set();
  noted.set(
    path,
    types.add(words.has(path.split('.').at(-1) ?? '') && type === 'string' ? `"${String(value)}"` : type),
  );
  if (type === 'array') for (const one of value as unknown[]) note(one, `${path}[]`, noted);
  if (type === 'object')
    for (const [key, one] of Object.entries(value as object)) note(one, path === '' ? key : `${path}.${key}`, noted);
}

export function shapeOf(rows: readonly Document[]): Shape {
  const types = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    const own = new Map<string, Set<string>>();
    note(row, '', own);
    for (const [path, found] of own) {
      types.set(path, new Set([...(types.get(path) ?? []), ...found]));
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
  }
  return { types, everywhere: new Set([...counts].flatMap(([path, count]) => (count === rows.length ? [path] : []))) };
}

/** Lists in sentences what a reader of the earlier rows could not read in the later ones. Later rows may have more fields. */
export function unreadable(earlier: Shape, later: Shape): string[] {
  const lost = [...earlier.everywhere].filter((path) => !later.everywhere.has(path)).map((path) => `lacks ${path}`);
  const other = [...later.types].flatMap(([path, types]) => {
    const known = earlier.types.get(path);
    const strange = known === undefined ? [] : [...types].filter((type) => !known.has(type));
    return strange.map((type) => `has ${type} at ${path}, which was ${[...(known ?? [])].join(' or ')}`);
  });
  return [...lost, ...other].toSorted();
}
