import { AppError } from '#src/domain/app-error.ts';
import { checkGraph } from '#graphs/check.ts';
import type { Code } from '#graphs/code/code.ts';

/**
 * Checks all workflows in code at start-up, before any is published. Throws `workflow.invalid` with one line for each error, grouped by
 * file. A duplicate id is an error; warnings pass.
 */
export function checkCodeWorkflows({ workflows, catalog, files }: Omit<Code, 'evaluators'>): void {
  const seen = new Set<string>();
  const lines = workflows.flatMap(({ id, graph }) => {
    const found = checkGraph(graph, catalog).issues.filter(({ severity }) => severity === 'error');
    const wrong = found.map(({ code, path, message, hint }) => `  ${code} ${path}: ${message} ${hint}`);
    if (seen.has(id)) wrong.unshift(`  ID_COLLISION: another workflow in code has the id "${id}". Choose another id.`);
    seen.add(id);
    return wrong.length === 0 ? [] : [`${files.get(id) ?? codeFileOf(id)} (${id})`, ...wrong];
  });
  if (lines.length === 0) return;
  throw new AppError(
    'workflow.invalid',
    `Workflows in code have errors. Correct them and start again.\n${lines.join('\n')}`,
  );
}

/** File of a workflow of the product: `wf_document_intake` is in `graphs/document-intake.workflow.ts`. */
export function codeFileOf(id: string): string {
  return `graphs/${id.replace(/^wf_/, '').replaceAll('_', '-')}.workflow.ts`;
}
