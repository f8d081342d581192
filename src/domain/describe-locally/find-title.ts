const longest = 90;

/** Patterns of lines that are addresses, dates or contacts rather than titles. */
const weak = [
  /@|\bwww\.|https?:/i,
  /^(?:tel|phone|fax|date|datum|to|from|subject|bill to|dear|sehr geehrte)\b/i,
  /^[\p{L} .-]{2,30}:\s/u,
  /\b\d{4,}\b/,
  /^\W*\d/,
  /\b(?:street|road|lane|avenue|court|walk|floor|suite|unit|stra(?:ß|ss)e|str\.|rue|p\.?o\.? box)\b.*\d|\d.*\b(?:street|road|lane|avenue|court|walk|stra(?:ß|ss)e|rue)\b/i,
];

/** The first title-like line of the first ten: words, not an address, date or label. Empty if there is none. */
export function findTitle(text: string): string {
  const lines = text
    .slice(0, 5000)
    .split(/[\n\f\r]+/)
    .map((line) =>
      line
        .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
        .replace(/\b(?:page|seite) \d+(?: (?:of|von) \d+)?\b/gi, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
    .slice(0, 10);
  const readable = lines.filter(isReadable);
  const strong = readable.filter((line) => !weak.some((pattern) => pattern.test(line)));
  // Prefers lines without numbers: "Quarterly No. 118" precedes the title of an article.
  const best = strong.slice(0, 3).find((line) => !/\d/.test(line)) ?? strong[0] ?? readable[0] ?? '';
  return shortened(best);
}

/** Cuts a line at a word and adds an ellipsis. */
export function shortened(line: string, most = longest): string {
  if (line.length <= most) return line;
  const cut = line.slice(0, most - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > most / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}

function isReadable(line: string): boolean {
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  return letters >= 3 && letters >= 0.5 * line.replace(/\s/g, '').length && /\p{L}{3}/u.test(line);
}
