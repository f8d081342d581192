import { neutralize } from '#mcp/present/neutralize.ts';

/**
 * Text from scans and models, kept apart from this service's own text. An agent sees it only between `<untrusted-document id="...">` tags,
 * never inside the JSON beside it.
 */
export interface UntrustedBlock {
  readonly id: string;
  readonly fields: readonly UntrustedField[];
}
export interface UntrustedField {
  /** Path relative to the document: `title`, `steps.0.outputPreview`. */
  readonly path: string;
  readonly text: string;
}

/** Names of untrusted fields below a document. The `message` of an error may quote a step's input. */
const untrustedName = /(^(description|title|text|message|outputPreview)|Text)$/;
const alwaysUntrusted = /Text$/;
/** Values that nodes derived from the document. */
const untrustedValue = /^(outputs|data)$/;

interface Position {
  readonly id: string | null;
  readonly path: readonly string[];
}

function documentIdOf(value: object): string | null {
  const { documentId, id } = value as { documentId?: unknown; id?: unknown };
  if (typeof documentId === 'string') return documentId;
  return typeof id === 'string' && id.startsWith('doc_') ? id : null;
}

function isUntrusted(name: string, position: Position): boolean {
  return position.id === null ? alwaysUntrusted.test(name) : untrustedName.test(name);
}

function untrustedTextOf(name: string, value: unknown, position: Position): string | null {
  if (position.id !== null && value !== null && value !== undefined && untrustedValue.test(name))
    return typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && isUntrusted(name, position) ? value : null;
}

/** Splits `output` into JSON without untrusted text, and that text in blocks by document, in order. */
export function separate(output: unknown): { json: string; blocks: readonly UntrustedBlock[] } {
  const found = new Map<string, UntrustedField[]>();
  const walk = (value: unknown, position: Position): unknown => {
    // Neutralize before serializing: JSON escapes characters that may be part of a tag.
    if (typeof value === 'string') return neutralize(value);
    if (Array.isArray(value))
      return value.map((item, index) => walk(item, { ...position, path: [...position.path, String(index)] }));
    if (typeof value !== 'object' || value === null) return value;
    const own = documentIdOf(value);
    const here: Position = own === null ? position : { id: own, path: [] };
    const copy: Record<string, unknown> = {};
    for (const [name, child] of Object.entries(value)) {
      const path = [...here.path, name];
      const text = untrustedTextOf(name, child, here);
      if (text === null) {
        copy[neutralize(name)] = walk(child, { id: here.id, path });
        continue;
      }
      // Text about several documents, such as a chat answer, gets the path of its field as id.
      const id = here.id ?? path.join('.');
      found.set(id, [...(found.get(id) ?? []), { path: path.join('.'), text }]);
    }
    return copy;
  };
  const trusted = walk(output, { id: null, path: [] });
  return { json: neutralize(JSON.stringify(trusted)), blocks: [...found].map(([id, fields]) => ({ id, fields })) };
}

export function renderBlock({ id, fields }: UntrustedBlock): string {
  const [first] = fields;
  const body =
    fields.length === 1 && first !== undefined && alwaysUntrusted.test(first.path)
      ? first.text
      : fields.map((field) => `${field.path}: ${field.text}`).join('\n');
  return `<untrusted-document id="${id.replaceAll(/[^\w.-]/g, '')}">\n${neutralize(body)}\n</untrusted-document>`;
}
