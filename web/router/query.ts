import type { Raw } from '../state/search.ts';

/** A parameter as text. Quotation marks around it are those of JSON, as in addresses that were saved with them. */
function textOf(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Parameters of an address; of those with one name the last. */
export const parseQuery = (query: string): Raw =>
  Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, textOf(value)]));

/** The query of an address with its `?`; empty without parameters. Undefined ones are left out. */
export function formatQuery(search: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null) continue;
    const plain = String(value);
    query.set(name, plain.startsWith('"') ? JSON.stringify(plain) : plain);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
