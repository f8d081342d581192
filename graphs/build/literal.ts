const width = 120;
const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Source text to insert into a value unchanged. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** JavaScript source of a JSON value, in the style of the formatter; `depth` is the indentation of its first line. */
export function literal(value: unknown, depth = 0): string {
  const flat = oneLine(value);
  if (typeof value !== 'object' || value === null || value instanceof Code) return flat;
  // Leaves room for a key and a comma.
  if (!flat.includes('\n') && flat.length + depth * 2 < width - 30) return flat;
  const inner = '  '.repeat(depth + 1);
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, depth + 1))
    : Object.entries(value).map(([name, part]) => `${key(name)}: ${literal(part, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${'  '.repeat(depth)}${close}`;
}

function oneLine(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, part]) => `${key(name)}: ${oneLine(part)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Writes `__proto__` as a computed name, since `{"__proto__": x}` would set the prototype. */
function key(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return plainName.test(name) ? name : quote(name);
}

export function quote(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1);
  return text.includes("'") ? `"${escaped}"` : `'${escaped.replaceAll('\\"', '"')}'`;
}
