/** Most identifiers kept of one text, and the longest one: what a search record may hold of an untrusted document. */
export const identifierLimits = { count: 2_000, queryCount: 32, characters: 64, run: 6 } as const;

/** `,` and `'` only where they group or divide digits, as in amounts. */
const chunk = /[\p{L}\p{N}]+(?:(?:[-‐‑‒–—/.]|(?<=\p{Nd})[,'’](?=\p{Nd}{2,3}(?!\p{Nd})))[\p{L}\p{N}]+)*/gu;
const separator = /[-‐‑‒–—/.,'’]/u;
/** A prefix such as `INV` in front of a number. */
const prefix = /^\p{L}{1,4}$/u;

interface Token {
  readonly parts: readonly string[];
  readonly whole: string;
  /** The token before it is one space away. */
  readonly follows: boolean;
}

/**
 * Numbers and codes in a document's text, in order of appearance and each once: tokens of at least 3 characters with a digit,
 * folded to lower-case letters and digits. What `-`, `/` or `.` hold together counts as a whole and in parts: `INV-2024/0042`
 * gives `inv20240042`, `2024`, `0042`; and so does what single spaces do (`INV 2024 0042`, `4 982,80`). Source: pipeline.md
 * "Search and chat" (exact identifiers are pinned).
 */
export function identifiersOf(text: string): string[] {
  return collect(text, identifierLimits.count, ({ parts, whole }) => (parts.length > 1 ? [whole, ...parts] : [whole]));
}

/**
 * The same rule for a query, so that equal codes meet however they are punctuated; but a code that is held together counts as a
 * whole only: who asks for `INV-2024/0042` does not mean everything of 2024.
 */
export function queryIdentifiers(text: string): string[] {
  return collect(text, identifierLimits.queryCount, ({ whole }) => [whole]);
}

function collect(text: string, limit: number, candidates: (token: Token) => readonly string[]): string[] {
  const found = new Set<string>();
  let run: string[] = [];
  for (const token of tokensOf(text)) {
    const isPart = hasDigit(token.whole) || prefix.test(token.whole);
    if (!token.follows || !isPart) run = [];
    if (isPart) run = [...run, token.whole].slice(-identifierLimits.run);
    const joined = run.map((_, at) => run.slice(at).join('')).slice(0, -1);
    for (const candidate of [...candidates(token), ...(hasDigit(token.whole) ? joined : [])]) {
      if (isIdentifier(candidate)) found.add(candidate);
      if (found.size >= limit) return [...found];
    }
  }
  return [...found];
}

function* tokensOf(text: string): Generator<Token> {
  const folded = text
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase();
  let end = -1;
  for (const { 0: token, index } of folded.matchAll(chunk)) {
    const parts = token.split(separator);
    yield { parts, whole: parts.join(''), follows: index === end + 1 && folded[end] === ' ' };
    end = index + token.length;
  }
}

const hasDigit = (token: string): boolean => /\p{Nd}/u.test(token);

function isIdentifier(token: string): boolean {
  return token.length >= 3 && token.length <= identifierLimits.characters && hasDigit(token);
}
