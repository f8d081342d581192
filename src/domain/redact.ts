const leastLength = 6;

/** How a value may come back: as it is, in JSON text, in an address, in hexadecimal, in base64 wherever it begins. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const encoded = encodeURIComponent(value.toWellFormed());
  const forms = [value, JSON.stringify(value).slice(1, -1), encoded, encoded.replaceAll('%20', '+')];
  forms.push(
    encoded.replaceAll(/%../g, (code) => code.toLowerCase()),
    bytes.toString('hex'),
  );
  forms.push(bytes.toString('hex').toUpperCase());
  for (const before of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    // Digits that also hold bits of what stands before or after the value are not the value's own.
    const own = (text: string): string => text.slice(Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6));
    forms.push(own(shifted.toString('base64')), own(shifted.toString('base64url')));
  }
  return forms;
}

/**
 * A function that puts `[redacted]` in the place of every one of these values, as text and in its JSON, URL, hexadecimal and base64
 * forms; after `Bearer` and the like, the token alone counts, too. Values shorter than 6 characters are left: they would take half of any text
 * away with them. Redact before cutting: half a secret is not found.
 */
export function redactor(values: readonly string[]): (text: string) => string {
  const secrets = values.flatMap((value) => [
    value,
    value.trim(),
    value.replace(/^\s*(Basic|Bearer|Token)\s+/i, '').trim(),
  ]);
  const forms = new Set(secrets.filter((value) => value.length >= leastLength).flatMap(formsOf));
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms].filter((form) => form.length >= leastLength).toSorted((a, b) => b.length - a.length);
  const any = new RegExp(
    longestFirst.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)).join('|'),
    'g',
  );
  return (text) => text.replaceAll(any, '[redacted]');
}

/** A JSON value with every text in it, and every name of a member, put through `redact`. */
export function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redactJson(member, redact)]));
}
