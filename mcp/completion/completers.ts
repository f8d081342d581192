import { tools } from '#tools/index.ts';
import type { Ask } from '#mcp/resources/ask.ts';

/** Completes a typed value. `others` are the arguments that are filled in already. */
export type Complete = (
  ask: Ask,
  typed: string,
  others: Readonly<Record<string, string>>,
) => Promise<readonly string[]>;

/** Values in one result, and number of newest records searched. Source: MCP "Completion". */
export const completionsMax = 100;
/** Shorter text would match too much. */
const searchFrom = 3;

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

interface Choice {
  readonly id: string;
  /** Text that people recognize it by. */
  readonly text: string;
}

/** Returns ids that begin with the typed text, or whose text has a word that begins with each typed word. */
function matching(choices: readonly Choice[], typed: string): string[] {
  const wanted = wordsOf(typed);
  const fits = ({ id, text }: Choice): boolean => {
    if (id.startsWith(typed)) return true;
    const words = wordsOf(text);
    return wanted.length > 0 && wanted.every((word) => words.some((one) => one.startsWith(word)));
  };
  return choices.filter(fits).map(({ id }) => id);
}

export const completeWorkflow: Complete = async (ask, typed) => {
  const { workflows } = await ask(tools.listWorkflows, { limit: completionsMax });
  return matching(
    workflows.map(({ workflowId, name }) => ({ id: workflowId, text: name })),
    typed,
  );
};

export const completeRun: Complete = async (ask, typed) => {
  const { runs } = await ask(tools.listRuns, { limit: completionsMax });
  return matching(
    runs.map(({ runId, status, workflowId, documentId }) => ({
      id: runId,
      text: `${status} ${workflowId} ${documentId}`,
    })),
    typed,
  );
};

export const completeDocument: Complete = async (ask, typed) => {
  const { documents } = await ask(tools.listDocuments, { limit: completionsMax });
  const newest = matching(
    documents.map(({ id, title }) => ({ id, text: title ?? '' })),
    typed,
  );
  if (newest.length > 0 || typed.trim().length < searchFrom || typed.startsWith('doc_')) return newest;
  const found = await ask(tools.searchDocuments, { query: typed.slice(0, 200), limit: 20 });
  return found.documents.map(({ id }) => id);
};

/** Completes numbers of published versions, newest first, of the workflow in the argument `name`. */
export function completeVersion(name: string, words: readonly string[] = []): Complete {
  return async (ask, typed, others) => {
    const workflowId = others[name];
    if (workflowId === undefined || workflowId === '') return [];
    const { versions } = await ask(tools.listWorkflowVersions, { workflowId, limit: completionsMax });
    return [...words, ...versions.map(({ version }) => String(version))].filter((one) => one.startsWith(typed));
  };
}

/** Completes the last of several values that are separated by commas. */
export function completeLast(complete: Complete): Complete {
  return async (ask, typed, others) => {
    const before = typed.slice(0, typed.lastIndexOf(',') + 1);
    const chosen = new Set(before.split(',').map((one) => one.trim()));
    const found = await complete(ask, typed.slice(before.length).trim(), others);
    return found.filter((one) => !chosen.has(one)).map((one) => before + one);
  };
}
