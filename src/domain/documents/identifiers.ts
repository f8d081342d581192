/** Most identifiers kept of one text, and the longest one: what a search record may hold of an untrusted document. */
export const identifierLimits = { count: 2_000, queryCount: 32, characters: 64 } as const;

const chunk = /[\p{L}\p{N}]+(?:[-‐‑‒–—/.][\p{L}\p{N}]+)*/gu;
const separator = /[-‐‑‒–—/.]/u;

/**
 * Numbers and codes in a document's text, in order of appearance and each once: tokens of at least 3 characters with a digit,
 * folded to lower-case letters and digits. What `-`, `/` or `.` hold together counts as a whole and in parts: `INV-2024/0042`
 * gives `inv20240042`, `2024`, `0042`. Source: pipeline.md "Search and chat" (exact identifiers are pinned).
 */
export function identifiersOf(text: string): string[] {
  return collect(text, identifierLimits.count, (parts) => (parts.length > 1 ? [parts.join(''), ...parts] : parts));
}

/**
 * The same rule for a query, so that equal codes meet however they are punctuated; but a code that is held together counts as a
 * whole only: who asks for `INV-2024/0042` does not mean everything of 2024.
 */
export function queryIdentifiers(text: string): string[] {
  return collect(text, identifierLimits.queryCount, (parts) => [parts.join('')]);
}

function collect(text: string, limit: number, candidates: (parts: string[]) => string[]): string[] {
  const found = new Set<string>();
  for (const [token] of text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().matchAll(chunk)) {
    for (const candidate of candidates(token.split(separator))) {
      if (isIdentifier(candidate)) found.add(candidate);
      if (found.size >= limit) return [...found];
    }
  }
  return [...found];
}

function isIdentifier(token: string): boolean {
  return token.length >= 3 && token.length <= identifierLimits.characters && /\p{Nd}/u.test(token);
}
