import type { DocumentDescription } from '#src/domain/ports/models.ts';

const limits = { title: 200, description: 2000, short: 60, value: 500, keyFields: 40, tags: 16 };

/** A description, or the problem of the answer in one clause. The clause quotes nothing of the answer. */
export type ReadDescription = { readonly value: DocumentDescription } | { readonly problem: string };

/**
 * Reads the answer of a model leniently: JSON alone, in a code fence, after reasoning or within prose; key fields as a list or an
 * object; numbers as text. Title and description are required. Texts are truncated, and control characters removed.
 */
export function readDescription(answer: string): ReadDescription {
  if (answer.trim() === '') return { problem: 'it is empty' };
  const record = parseObject(answer);
  if (record === undefined) return { problem: 'it is not a JSON object' };
  const title = line(record['title'], limits.title);
  const description = line(record['description'], limits.description);
  if (title === '') return { problem: 'the field title is missing or no text' };
  if (description === '') return { problem: 'the field description is missing or no text' };
  return {
    value: {
      title,
      description,
      language: languageTag(record['language']),
      documentType: line(record['documentType'] ?? record['document_type'], limits.short).toLowerCase() || 'unknown',
      keyFields: keyFieldsOf(record['keyFields'] ?? record['key_fields']),
      tags: tagsOf(record['tags']),
    },
  };
}

function parseObject(answer: string): Readonly<Record<string, unknown>> | undefined {
  const spoken = answer.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/, '');
  const start = spoken.indexOf('{');
  const end = spoken.lastIndexOf('}');
  if (start === -1 || end <= start) return undefined;
  try {
    const parsed: unknown = JSON.parse(spoken.slice(start, end + 1));
    return isRecord(parsed) ? parsed : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function keyFieldsOf(value: unknown): DocumentDescription['keyFields'] {
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown) => (isRecord(item) ? [item['name'], item['value']] : ['', '']))
    : Object.entries(isRecord(value) ? value : {});
  return pairs
    .map(([name, text]) => ({ name: line(name, limits.short), value: line(text, limits.value) }))
    .filter((field) => field.name !== '' && field.value !== '')
    .slice(0, limits.keyFields);
}

function tagsOf(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const tags = items.map((item) => line(item, limits.short).toLowerCase()).filter((tag) => tag !== '');
  return [...new Set(tags)].slice(0, limits.tags);
}

/** Canonical BCP 47 tag, or `und` for anything else. */
function languageTag(value: unknown): string {
  const tag = line(value, limits.short).replaceAll('_', '-');
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag)) return 'und';
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'und';
  } catch (error) {
    if (error instanceof RangeError) return 'und';
    throw error;
  }
}

/** One line of at most `most` characters without control and invisible characters; `''` for anything but text and numbers. */
function line(value: unknown, most: number): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  const plain = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`.toWellFormed();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
