import { env } from '#src/config/env.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

export function configDoc(): string {
  const rows = Object.entries(env).map(([name, row]) => {
    const standard = row.schema.safeParse(undefined);
    const value: unknown = standard.success ? standard.data : undefined;
    return [
      `\`${name}\``,
      value === undefined
        ? ''
        : `\`${Array.isArray(value) ? value.join(',') : JSON.stringify(value).replaceAll('"', '')}\``,
      row.doc,
      'secret' in row ? 'yes' : '',
    ];
  });
  return `${generatedNote}
# Configuration

All settings are environment variables. An empty value counts as unset; a broken one stops the start with one line that names it.

${table(['Variable', 'Default', 'What it does', 'Secret'], rows)}
`;
}
