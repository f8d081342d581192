/** Most characters of a title, of its headline, and of the start of a text that a headline may stand in. */
const longest = 90;
const longestHead = 5_000;
const mostLines = 14;

/** Patterns of lines that are addresses, dates or contacts rather than titles. */
const weak = [
  /@|\bwww\.|https?:/i,
  /^(?:tel|phone|fax|date|datum|to|from|subject|bill to|dear|sehr geehrte|hello|hi|cc|yours|sincerely|kind regards|mit freundlichen)\b/i,
  /^(?:verk[aä]ufer|k[aä]ufer|seller|buyer|vendor|supplier|lieferant|sender|absender)(?:\W+\p{L}+)?$/iu,
  /^[\p{L} .-]{2,30}:\s/u,
  /\b\d{4,}\b/,
  /\d[.,]\d{2}(?: ?(?:[A-Z]{3}|€))?$/u,
  /^\W*\d/,
  /\b(?:street|road|lane|avenue|court|walk|floor|suite|unit|stra(?:ß|ss)e|str\.|rue|jalan|p\.?o\.? box)\b.*\d|\d.*\b(?:street|road|lane|avenue|court|walk|stra(?:ß|ss)e|rue|jalan)\b/i,
];
const subject = /^(?:subject|re|betreff|betr\.?|objet|asunto|oggetto)\s*[:.]\s*(\S.*)$/iu;
const greeting = /^(?:dear|sehr geehrte|liebe|hello|hi|bonjour|cher|chère|madame|monsieur|estimad|gentile|egregio)/iu;

/** Lines of the start of a text, without what nobody sees and without numbers of pages. */
export function firstLines(text: string): string[] {
  return text
    .slice(0, longestHead)
    .split(/[\n\f\r]+/)
    .map((line) =>
      line
        .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
        .replace(/\b(?:page|seite) \d+(?: (?:of|von) \d+)?\b|^(?:page|seite) (?:of|von)$/gi, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '');
}

/** Words of letters, as many letters as everything else, and no line that misread strokes make. */
export function isReadable(line: string): boolean {
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  return letters >= 3 && letters >= 0.5 * line.replace(/\s/g, '').length && /\p{L}{3}/u.test(line);
}

/** Shortest line that can go on in the next one: shorter ones end where the writer ended them. */
const shortestFull = 30;

/** Text after the line of the greeting; the whole text without one. */
export function afterGreeting(text: string): string {
  const found =
    /^[ \t]*(?:dear|sehr geehrte|liebe|hello|hi|bonjour|cher|chère|madame|monsieur|estimad|gentile|egregio)[^\n]*\n/imu.exec(
      text,
    );
  return found === null ? text : text.slice(found.index + found[0].length);
}

const goesOn = (line: string, next: string | undefined): boolean =>
  next !== undefined && line.length >= shortestFull && !/[.!?:]$/.test(line) && /^\p{Ll}/u.test(next);

/** The line, with those that go on with it; null for a line of running text, and for one that goes on too far. */
function joinedAt(lines: readonly string[], at: number): string | null {
  let joined = lines[at] ?? '';
  if (/^\p{Ll}/u.test(joined)) return null;
  for (let next = at + 1; goesOn(joined, lines[next]); next += 1) {
    joined = `${joined} ${lines[next]}`;
    if (joined.length > longest) return null;
  }
  const isSentence = /[.!?]$/.test(joined) && joined.split(' ').length > 9;
  return joined.length > longest || isSentence ? null : joined.replace(/[\s.,;:-]+$/u, '');
}

/**
 * The most headline-like line of the first ones, whole and with the lines that go on with it: words, not an address, date or label. Empty if
 * there is none: running text has no headline.
 */
export function findHeadline(text: string): string {
  const lines = firstLines(text).slice(0, mostLines);
  const found = lines.slice(0, 10).flatMap((line, at) => {
    const joined = isReadable(line) ? joinedAt(lines, at) : null;
    return joined === null || joined === '' ? [] : [joined];
  });
  const strong = found.filter((line) => !weak.some((pattern) => pattern.test(line)));
  // Prefers lines without numbers: "Quarterly No. 118" precedes the title of an article.
  return strong.slice(0, 3).find((line) => !/\d/.test(line)) ?? strong[0] ?? found[0] ?? '';
}

/** The subject of a letter: as it is labelled, or the line alone before or after the greeting. Empty if there is none. */
export function findSubject(text: string): string {
  const lines = firstLines(text).slice(0, 40);
  const labelled = lines.map((line) => subject.exec(line)?.[1] ?? '').find((found) => isReadable(found));
  if (labelled !== undefined) return whole(labelled);
  const at = lines.findIndex((line) => greeting.test(line));
  const beside = at === -1 ? [] : [lines[at + 1], lines[at - 1]];
  return (
    beside.find(
      (line): line is string =>
        line !== undefined &&
        line.length <= longest &&
        isReadable(line) &&
        !weak.some((pattern) => pattern.test(line)) &&
        /^[\p{Lu}\d]/u.test(line) &&
        !/[.,;!?]$/.test(line) &&
        line.split(' ').length >= 3 &&
        !goesOn(line, lines[lines.indexOf(line) + 1]),
    ) ?? ''
  );
}

/** Cuts a line at a word and adds an ellipsis. */
export function whole(line: string, most = longest): string {
  if (line.length <= most) return line;
  const cut = line.slice(0, most - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > most / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}
