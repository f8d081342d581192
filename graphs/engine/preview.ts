/** Largest preview, in bytes of UTF-8. */
export const previewBytes = 4_096;

const maxString = 512;
const maxItems = 20;
const maxMembers = 50;
const maxDepth = 6;

/** JSON text of `value`, cut to `previewBytes` with `…` at the cuts. Takes bounded time for any value. */
export function preview(value: unknown): string {
  const text = JSON.stringify(shorten(value, 0)) ?? 'null';
  return truncateUtf8(text, previewBytes);
}

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > maxString ? `${value.slice(0, maxString)}…` : value;
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return `(${typeof value})`;
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (value instanceof Date) return value;
  if (depth >= maxDepth) return '…';
  return Array.isArray(value) ? shortenArray(value, depth) : shortenObject(value, depth);
}

function shortenArray(value: readonly unknown[], depth: number): unknown[] {
  const items = value.slice(0, maxItems).map((item) => shorten(item, depth + 1));
  if (value.length > maxItems) items.push(`… ${value.length - maxItems} more`);
  return items;
}

function shortenObject(value: object, depth: number): Record<string, unknown> {
  const names = Object.keys(value);
  const members: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const name of names.slice(0, maxMembers)) {
    members[name.length > maxString ? `${name.slice(0, maxString)}…` : name] = shorten(
      (value as Record<string, unknown>)[name],
      depth + 1,
    );
  }
  if (names.length > maxMembers) members['…'] = `${names.length - maxMembers} more`;
  return members;
}

function truncateUtf8(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const ellipsis = Buffer.byteLength('…');
  // Drops a final U+FFFD: a character that the cut split.
  return `${Buffer.from(text)
    .subarray(0, bytes - ellipsis)
    .toString()
    .replace(/\uFFFD+$/u, '')}…`;
}
