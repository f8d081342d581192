import { catalog, type Catalog } from '#graphs/catalog.ts';
import { codeEvaluators } from '#graphs/evaluators.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import type { CodeEvaluator } from '#graphs/evaluators/define-evaluator.ts';

/** Everything that an installation defines in code. */
export interface Code {
  readonly catalog: Catalog;
  readonly workflows: readonly CodeWorkflow[];
  readonly evaluators: readonly CodeEvaluator[];
  /** Files of the operator's own workflows by id, for messages. */
  readonly files: ReadonlyMap<string, string>;
}

/** Code that the product brings. */
export const productCode: Code = {
  catalog,
  workflows: codeWorkflows,
  evaluators: codeEvaluators,
  files: new Map(),
};
