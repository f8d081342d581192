import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '#src/domain/app-error.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { productCode, type Code } from '#graphs/code/code.ts';
import { definitionProblem, isEvaluator, isNode, isWorkflow } from '#graphs/code/recognize.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import type { NodeDefinition } from '#graphs/define.ts';
import type { CodeEvaluator } from '#graphs/evaluators/define-evaluator.ts';

const name = /\.(workflow|node|evaluator)\.[cm]?[jt]s$/;
const declarations = /\.d\.[cm]?ts$/;

/** A definition and the file that exports it, relative to the folder. */
interface Found<Definition> {
  readonly file: string;
  readonly definition: Definition;
}

interface Loaded {
  readonly nodes: Found<NodeDefinition>[];
  readonly workflows: Found<CodeWorkflow>[];
  readonly evaluators: Found<CodeEvaluator>[];
}

/** Files of a folder that define nodes, workflows and evaluators, in the order of their names. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: unknown) => {
    throw broken(`WORKFLOWS_DIR cannot be read (${codeOf(error)}). Name an existing folder.`, error);
  });
  return entries
    .filter((entry) => entry.isFile() && name.test(entry.name) && !declarations.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part === 'node_modules' || part.startsWith('.')))
    .toSorted();
}

/**
 * Loads the operator's own nodes, workflows and evaluators beside those of the product. The modules run with all rights of the process.
 * Throws `workflow.invalid` that names the file. Source: docs/decisions/0198.
 */
export async function loadCode(
  folder: string | null,
  { ownErrors = 'words' }: Pick<NodeDefinition, 'ownErrors'> = {},
): Promise<Code> {
  if (folder === null) return productCode;
  const loaded: Loaded = { nodes: [], workflows: [], evaluators: [] };
  for (const file of await filesOf(folder)) await loadFile(folder, file, loaded);
  const { nodes, workflows, evaluators } = loaded;
  refuseTwice(
    nodes,
    ({ type, version }) => `the node type "${type}" in version ${version}`,
    productCode.catalog.definitions,
  );
  refuseTwice(workflows, ({ id }) => `the workflow "${id}"`, productCode.workflows);
  refuseTwice(evaluators, (one) => `the evaluator "${one.name}"`, productCode.evaluators);
  return {
    catalog: catalogOf([
      ...productCode.catalog.definitions,
      // These are the operator's own: nodes of the product that a file exports again were taken out.
      ...nodes.map(({ definition }) => ({ ...definition, ownErrors })),
    ]),
    workflows: [...productCode.workflows, ...workflows.map(({ definition }) => definition)],
    evaluators: [...productCode.evaluators, ...evaluators.map(({ definition }) => definition)],
    files: new Map(workflows.map(({ file, definition }) => [definition.id, file])),
  };
}

async function loadFile(folder: string, file: string, into: Loaded): Promise<void> {
  const module = (await import(pathToFileURL(join(folder, file)).href).catch((error: unknown) => {
    throw broken(`${file} cannot be loaded: ${messageOf(error)}`, error);
  })) as Readonly<Record<string, unknown>>;
  const before = countOf(into);
  for (const [exported, value] of Object.entries(module)) {
    if (isWorkflow(value)) into.workflows.push({ file, definition: value });
    else if (isNode(value)) into.nodes.push({ file, definition: checked(value, `${file}, export ${exported}`) });
    else if (isEvaluator(value)) into.evaluators.push({ file, definition: value });
  }
  if (countOf(into) > before) return;
  const kind = name.exec(file)?.[1] ?? '';
  throw broken(`${file} exports no ${kind}. Export what ${makers.get(kind) ?? ''} returns.`);
}

const makers = new Map([
  ['workflow', 'defineWorkflow'],
  ['node', 'defineNode, codeNode or langGraphNode'],
  ['evaluator', 'defineEvaluator'],
]);

const countOf = ({ nodes, workflows, evaluators }: Loaded): number =>
  nodes.length + workflows.length + evaluators.length;

function checked(definition: NodeDefinition, place: string): NodeDefinition {
  const problem = definitionProblem(definition);
  if (problem !== null) throw broken(`${place}: ${problem}`);
  return definition;
}

/** Two files may export the same definition, and one file may import that of another. */
function refuseTwice<Definition>(
  found: Found<Definition>[],
  keyOf: (definition: Definition) => string,
  ofProduct: readonly Definition[],
): void {
  const places = new Map(ofProduct.map((definition) => [keyOf(definition), { definition, file: 'Inkgraph itself' }]));
  const kept = found.filter(({ definition, file }) => {
    const key = keyOf(definition);
    const other = places.get(key);
    if (other === undefined) places.set(key, { definition, file });
    else if (other.definition !== definition)
      throw broken(`${file} and ${other.file} both define ${key}. Rename one of them.`);
    return other === undefined;
  });
  found.splice(0, found.length, ...kept);
}

const broken = (detail: string, cause?: unknown): AppError => new AppError('workflow.invalid', detail, { cause });
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
