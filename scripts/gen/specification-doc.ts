import { readdirSync, readFileSync } from 'node:fs';
import { generatedNote, table } from '#scripts/gen/markdown.ts';
import { chapters, type Requirement } from '#test/spec/requirement.ts';
import { requirements } from '#test/spec/requirements.ts';

const root = new URL('../../', import.meta.url);

/** docs/specification.md: every statement of test/spec with the test files that prove it. */
export function specificationDoc(): string {
  const proofs = proofsById();
  const sections = chapters.map((chapter) => {
    const rows = requirements.filter((row) => row.chapter === chapter);
    return `## ${chapter}\n\n${table(
      ['Id', 'Statement', 'Proof', 'Decision'],
      rows.map((row) => rowOf(row, proofs.get(row.id) ?? [])),
    )}`;
  });
  return `${generatedNote}
# Specification

The behaviour that Inkgraph promises, one statement a row. Each statement is a row in \`test/spec/\` and the title of the test that
proves it: search for the id to find both. Comments in the code cite these ids.

${sections.join('\n\n')}
`;
}

function rowOf({ id, behaviour, decision, deferredTo }: Requirement, proofs: readonly string[]): string[] {
  return [
    `\`${id}\``,
    behaviour,
    deferredTo === undefined
      ? proofs.map((path) => `[${path.replace(/^test\//, '')}](../${path})`).join(', ')
      : `planned, with ${deferredTo}`,
    decision === undefined ? '' : `[${/\d{4}/.exec(decision)?.[0]}](${decision.replace(/^docs\//, '')})`,
  ];
}

/** Paths of the test files that prove each statement. */
function proofsById(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' }).toSorted();
  for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
    const path = `test/${file.replaceAll('\\', '/')}`;
    for (const [, id = ''] of readFileSync(new URL(path, root), 'utf8').matchAll(/^\s*verifies\(\s*'([^']+)'/gm)) {
      const paths = found.get(id) ?? [];
      if (!paths.includes(path)) found.set(id, [...paths, path]);
    }
  }
  return found;
}
