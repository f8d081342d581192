/** Characters of a secret that are recognized in a longer text. */
const windowLength = 8;
/** Shorter secrets match ordinary text. */
const leastLength = 6;

const reversed = (text: string): string => Array.from(text).toReversed().join('');

/** Turns letters by 13 places. */
const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (one) => {
    const base = one <= 'Z' ? 65 : 97;
    return String.fromCharCode(((one.charCodeAt(0) - base + 13) % 26) + base);
  });

function fromCodes(text: string, { digits, base }: { digits: RegExp; base: 10 | 16 }): string {
  return (text.match(digits) ?? [])
    .map((code) => Number.parseInt(code, base))
    .map((code) => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''))
    .join('');
}

function fromBase64(text: string): string[] {
  const runs = text.match(/[A-Za-z0-9+/_-]{8,}/g) ?? [];
  return runs.flatMap((run) => [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('utf8')));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign: the text is not encoded.
    return text;
  }
}

/** Readings of a text: as it stands, percent-decoded, base64, hexadecimal, and codes of characters in decimal and hexadecimal. */
function readingsOf(text: string): string[] {
  return [
    text,
    decoded(text),
    ...fromBase64(text),
    fromCodes(text, { digits: /\d{1,7}/g, base: 10 }),
    fromCodes(text, { digits: /(?<=0x|\\[ux]|&#x|%|\b)[0-9a-f]{2,6}\b/gi, base: 16 }),
    fromCodes(text.replaceAll(/[^0-9a-f]/gi, ''), { digits: /../g, base: 16 }),
  ];
}

/** Letters and digits in lower case: case, spaces and punctuation hide nothing. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

function windowsOf(secret: string): string[] {
  const bare = plain(secret);
  const whole = bare.length < leastLength ? secret.toLowerCase() : bare;
  if (whole.length < leastLength) return [];
  const size = Math.min(windowLength, whole.length);
  return [whole, reversed(whole), rot13(whole), reversed(rot13(whole))].flatMap((text) =>
    Array.from({ length: text.length - size + 1 }, (_, at) => text.slice(at, at + size)),
  );
}

/**
 * Returns a function that replaces strings and numbers of a JSON value by `[redacted]` when they hold eight characters in a row of one of
 * these secrets: plain, in another case, reversed, by rot13, percent-encoded, base64, hexadecimal, or as codes of characters. A second net:
 * no list of disguises is complete. Leaves out secrets shorter than 6 characters, which match ordinary text. Source: docs/decisions/0089.
 */
export function concealer(secrets: readonly string[]): (value: unknown) => unknown {
  const withoutScheme = secrets.map((value) => value.replace(/^\s*(Basic|Bearer|Token)\s+/i, '').trim());
  const windows = new Set([...secrets, ...withoutScheme].flatMap(windowsOf));
  const sizes = [...new Set([...windows].map(({ length }) => length))];
  const holds = (text: string): boolean =>
    readingsOf(text).some((reading) => {
      const bare = [plain(reading), reading.toLowerCase()];
      return bare.some((one) =>
        sizes.some((size) => {
          for (let at = 0; at + size <= one.length; at += 1) if (windows.has(one.slice(at, at + size))) return true;
          return false;
        }),
      );
    });
  const conceal = (value: unknown): unknown => {
    if (typeof value === 'string' || typeof value === 'number') return holds(String(value)) ? '[redacted]' : value;
    if (Array.isArray(value)) return value.map(conceal);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, conceal(member)]));
  };
  return conceal;
}
