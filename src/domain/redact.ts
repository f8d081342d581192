const leastLength = 6;

/** Forms of a value to redact: literal, JSON-escaped, URL-encoded, hexadecimal, and base64 at each alignment. */
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
    // Drops digits that also encode bits of the neighbouring bytes.
    const own = (text: string): string => text.slice(Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6));
    forms.push(own(shifted.toString('base64')), own(shifted.toString('base64url')));
  }
  return forms;
}

/**
 * Returns a function that replaces these values by `[redacted]`, in plain text and in JSON, URL, hexadecimal and base64 form. Also replaces
 * the token after `Bearer` and similar words. Keeps values shorter than 6 characters, which would match ordinary text. Redact before
 * cutting a text: half a secret is not recognized.
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

/** Applies `redact` to every string and member name of a JSON value. */
export function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redactJson(member, redact)]));
}
