/** Limits of the identifiers in a search record, since documents are untrusted. */
export const identifierLimits = { count: 2_000, queryCount: 32, characters: 64, run: 6 } as const;

/** Matches tokens with inner separators; `,` and `'` only between digits, as in amounts. */
const chunk = /[\p{L}\p{N}]+(?:(?:[-‐‑‒–—/.]|(?<=\p{Nd})[,'’](?=\p{Nd}{2,3}(?!\p{Nd})))[\p{L}\p{N}]+)*/gu;
const separator = /[-‐‑‒–—/.,'’]/u;
/** Prefix of a number, such as `INV`. */
const printedPrefix = /^\p{Lu}{1,4}$/u;
const typedPrefix = /^\p{L}{1,4}$/u;

interface Token {
  readonly parts: readonly string[];
  readonly whole: string;
  /** true: exactly one space after the previous token. */
  readonly follows: boolean;
  readonly isPrefix: boolean;
}

interface Rule {
  readonly limit: number;
  readonly prefix: RegExp;
  readonly candidates: (token: Token) => readonly string[];
}

/**
 * Numbers and codes of a document, in order, without duplicates: tokens of at least 3 characters with a digit, folded to lower-case
 * letters and digits. Codes joined by `-`, `/`, `.` or single spaces count as a whole and in parts: `INV-2024/0042` gives `inv20240042`,
 * `2024`, `0042`; `4 982,80` likewise. Source: docs/decisions/0016.
 */
export function identifiersOf(text: string): string[] {
  const candidates = ({ parts, whole }: Token) => (parts.length > 1 ? [whole, ...parts] : [whole]);
  return collect(text, { limit: identifierLimits.count, prefix: printedPrefix, candidates });
}

/**
 * Identifiers of a query by the same rule, so that punctuation does not matter. A joined code counts as a whole only: a search for
 * `INV-2024/0042` must not find all of 2024.
 */
export function queryIdentifiers(text: string): string[] {
  const candidates = ({ whole }: Token) => [whole];
  return collect(text, { limit: identifierLimits.queryCount, prefix: typedPrefix, candidates });
}

function collect(text: string, { limit, prefix, candidates }: Rule): string[] {
  const found = new Set<string>();
  /** Joined codes, added after single tokens while the limit allows. */
  const joined = new Set<string>();
  const add = (to: Set<string>, candidate: string): void => {
    if (isIdentifier(candidate) && to.size < limit) to.add(candidate);
  };
  let run: string[] = [];
  for (const token of tokensOf(text, prefix)) {
    const { whole, follows, isPrefix } = token;
    if (!follows || !hasDigit(whole)) run = [];
    if (isPrefix || hasDigit(whole)) run = [...run, whole].slice(-identifierLimits.run);
    for (const candidate of candidates(token)) add(found, candidate);
    for (let at = 0; hasDigit(whole) && at < run.length - 1; at += 1) add(joined, run.slice(at).join(''));
    if (found.size >= limit) break;
  }
  return [...new Set([...found, ...joined])].slice(0, limit);
}

function* tokensOf(text: string, prefix: RegExp): Generator<Token> {
  const plain = text
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '');
  let end = -1;
  for (const { 0: token, index } of plain.matchAll(chunk)) {
    const parts = token.toLowerCase().split(separator);
    yield {
      parts,
      whole: parts.join(''),
      follows: index === end + 1 && plain[end] === ' ',
      isPrefix: prefix.test(token),
    };
    end = index + token.length;
  }
}

const hasDigit = (token: string): boolean => /\p{Nd}/u.test(token);

function isIdentifier(token: string): boolean {
  return token.length >= 3 && token.length <= identifierLimits.characters && hasDigit(token);
}
