/** A match of the query in a field. Lists of matches are ordered by `start`, without overlaps. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** Index of the matched part of the query. */
  readonly part: number;
  readonly weight: number;
}

export interface Snippet {
  readonly text: string;
  readonly spans: { start: number; end: number }[];
}

/** Approximate length of a snippet, in UTF-16 code units. */
export const snippetLength = 200;
/** Furthest shift of a border to a word end, in characters. */
const borderReach = 40;
/** Weight of a repeated part. */
const repeatShare = 0.1;

/** The run of matches within a snippet's length that covers most of the query; the first wins a tie. */
export function bestRun(matches: readonly Match[]): { readonly run: readonly Match[]; readonly score: number } {
  const counts = new Map<number, number>();
  let score = 0;
  const count = ({ part, weight }: Match, by: 1 | -1): void => {
    const before = counts.get(part) ?? 0;
    counts.set(part, before + by);
    score += by * weight * (Math.max(before, before + by) === 1 ? 1 : repeatShare);
  };
  let best = { from: 0, to: 0, score: 0 };
  let from = 0;
  for (const [to, match] of matches.entries()) {
    count(match, 1);
    for (let first = matches[from]; first && first !== match && match.end - first.start > snippetLength;) {
      count(first, -1);
      first = matches[(from += 1)];
    }
    if (score > best.score + 1e-9) best = { from, to: to + 1, score };
  }
  return { run: matches.slice(best.from, best.to), score: best.score };
}

/** About 200 characters around a run, cut at word ends, without control and direction characters. */
export function snippetOf(text: string, run: readonly Match[]): Snippet {
  const first = run[0]?.start ?? 0;
  const last = run.at(-1)?.end ?? 0;
  const slack = Math.max(0, snippetLength - (last - first));
  const wantedStart = Math.max(0, first - (run.length === 0 ? 0 : Math.floor(slack / 2)));
  const end = borderBefore(text, Math.max(last, Math.min(text.length, wantedStart + snippetLength)), last);
  // At the end of the text, extends the snippet to the left instead.
  const start = borderAfter(text, Math.max(0, Math.min(wantedStart, Math.max(last, end) - snippetLength)), first);
  return shown(text, { start, end }, run);
}

const isSpace = (text: string, at: number): boolean => /[\s\p{Cc}]/u.test(text.charAt(at));
const cutsPair = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));

/** First word border from `at` up to `most`. */
function borderAfter(text: string, at: number, most: number): number {
  if (at === 0) return 0;
  for (let border = at; border <= Math.min(most, at + borderReach); border += 1)
    if (isSpace(text, border - 1)) return border;
  return cutsPair(text, at) ? at - 1 : at;
}

/** Last word border from `least` up to `at`. */
function borderBefore(text: string, at: number, least: number): number {
  if (at >= text.length) return text.length;
  for (let border = at; border >= Math.max(least, at - borderReach); border -= 1)
    if (isSpace(text, border)) return border;
  return cutsPair(text, at) ? at + 1 : at;
}

/** Direction overrides and isolates, with which stored text could reverse the text around it. */
const unseen = /[\u202a-\u202e\u2066-\u2069\ufeff]/;
const lonely = /^[\ud800-\udfff]$/;

/** Replaces runs of white space and control characters by one space, and adjusts the spans. */
function shown(text: string, { start, end }: { start: number; end: number }, run: readonly Match[]): Snippet {
  let out = '';
  let at = start;
  const writeTo = (until: number): number => {
    while (at < until) {
      const character = String.fromCodePoint(text.codePointAt(at) as number);
      if (isSpace(character, 0)) out += out === '' || out.endsWith(' ') ? '' : ' ';
      else if (!unseen.test(character)) out += lonely.test(character) ? '\ufffd' : character;
      at += character.length;
    }
    return out.length;
  };
  const spans = run.map((match) => ({ start: writeTo(match.start), end: writeTo(match.end) }));
  writeTo(end);
  return { text: out.trimEnd(), spans: spans.filter((span) => span.start < span.end) };
}
