import { AppError } from '#src/domain/app-error.ts';
import { checkGraph } from '#graphs/check.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import type { Catalog } from '#graphs/catalog.ts';

/**
 * At boot, before any of them is published: throws `workflow.invalid` with every error of every workflow, a line each, under the file
 * it is in. Warnings pass. The same id twice is an error too.
 */
export function checkCodeWorkflows(workflows: readonly CodeWorkflow[], catalog: Catalog): void {
  const seen = new Set<string>();
  const lines = workflows.flatMap(({ id, graph }) => {
    const found = checkGraph(graph, catalog).issues.filter(({ severity }) => severity === 'error');
    const wrong = found.map(({ code, path, message, hint }) => `  ${code} ${path}: ${message} ${hint}`);
    if (seen.has(id)) wrong.unshift(`  ID_COLLISION: another workflow in code has the id "${id}" already.`);
    seen.add(id);
    return wrong.length === 0 ? [] : [`${codeFileOf(id)} (${id})`, ...wrong];
  });
  if (lines.length === 0) return;
  throw new AppError(
    'workflow.invalid',
    `Workflows in code with errors; mend them and start again.\n${lines.join('\n')}`,
  );
}

/** `wf_document_intake` is kept in `graphs/document-intake.workflow.ts`. */
export function codeFileOf(id: string): string {
  return `graphs/${id.replace(/^wf_/, '').replaceAll('_', '-')}.workflow.ts`;
}
