import { askForJson, schemaRule, type ReadAnswer } from '#graphs/models/ask-for-json.ts';
import { systemMessage } from '#graphs/models/prompt.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DatasetItem, DatasetVersionRecord } from '#src/domain/experiments/dataset.ts';
import { isOver, type CellRecord, type ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import type { ToolContext } from '#tools/define.ts';
import type { ChosenVariant } from '#tools/experiments/choose-variants.ts';
import { metricsOf } from '#tools/experiments/present.ts';
import { checkWorkflow, type CheckDeps } from '#tools/workflows/check-workflow.ts';

type Context = ToolContext<CheckDeps | 'chatModel' | 'experiments'>;

/** Node types whose settings have words for a model. */
const askingTypes: ReadonlySet<string> = new Set(['agent', 'classify', 'describe', 'extract', 'llm']);
const wordFields: ReadonlySet<string> = new Set(['description', 'instructions', 'prompt', 'system']);
const shownDocuments = 5;
const shownCharacters = 2_000;
const wordCharacters = 4_000;
const experimentsLookedAt = 50;
const outputTokens = 8_192;

export interface Proposal {
  readonly name: string;
  readonly operations: readonly Operation[];
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Texts for models in the settings of a graph, by their JSON Pointers. */
function wordsOf(graph: StoredGraph): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown, path: string, name: string): void => {
    if (typeof value === 'string') {
      if (wordFields.has(name)) found.set(path, value);
    } else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${escaped(key)}`, key);
  };
  for (const [id, { type, config }] of Object.entries(graph.nodes))
    if (askingTypes.has(type)) walk(config, `/nodes/${escaped(id)}/config`, '');
  return found;
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', message, {
    errors: [{ pointer: '/propose', code: 'invalid_value', message: 'cannot be proposed from this' }],
  });
}

/** The newest experiment on dev that measured this graph on documents that are still in dev. */
async function measuredBefore(
  { deps, principal }: Context,
  { datasetId }: DatasetVersionRecord,
  graphHash: string,
): Promise<{ readonly experiment: ExperimentRecord; readonly variant: string }> {
  const recent = await deps.experiments.list(principal, { datasetId }, null, experimentsLookedAt);
  for (const experiment of recent) {
    const variant = experiment.variants.find((one) => one.graphHash === graphHash);
    if (experiment.split === 'dev' && isOver(experiment) && variant !== undefined)
      return { experiment, variant: variant.name };
  }
  throw invalid('Proposals come from the worst documents of the baseline. Run an experiment with it on dev first.');
}

interface Mistake {
  readonly item: DatasetItem;
  readonly cell: CellRecord;
  readonly quality: number;
}

/** Documents of dev that the baseline did worst on, with what was right. Documents of the holdout are never shown to the model. */
async function mistakesOf(ctx: Context, version: DatasetVersionRecord, graphHash: string): Promise<readonly Mistake[]> {
  const { experiment, variant } = await measuredBefore(ctx, version, graphHash);
  const [primary = ''] = metricsOf(experiment);
  const items = new Map(version.items.filter(({ split }) => split === 'dev').map((item) => [item.documentId, item]));
  const cells = await ctx.deps.experiments.cells(experiment.organizationId, experiment._id);
  return cells
    .filter((cell) => cell.variant === variant && cell.trial === 1)
    .flatMap((cell) => {
      const item = items.get(cell.documentId);
      const quality = cell.scores[primary]?.quality ?? null;
      return item === undefined || quality === null || quality >= 1 ? [] : [{ item, cell, quality }];
    })
    .toSorted((a, b) => a.quality - b.quality)
    .slice(0, shownDocuments);
}

const answerSchema = (count: number) => ({
  type: 'object',
  properties: {
    candidates: {
      type: 'array',
      minItems: 1,
      maxItems: count,
      items: {
        type: 'object',
        properties: {
          changes: {
            type: 'array',
            minItems: 1,
            maxItems: 4,
            items: {
              type: 'object',
              properties: { path: { type: 'string' }, text: { type: 'string' } },
              required: ['path', 'text'],
              additionalProperties: false,
            },
          },
        },
        required: ['changes'],
        additionalProperties: false,
      },
    },
  },
  required: ['candidates'],
  additionalProperties: false,
});

/** Reads changes of known texts; all others are mistakes of the model. */
function readProposals(
  value: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, string>,
): ReadAnswer<Proposal[]> {
  const { candidates } = value as {
    candidates?: readonly { changes?: readonly { path?: unknown; text?: unknown }[] }[];
  };
  if (!Array.isArray(candidates) || candidates.length === 0)
    return { problems: ['candidates must be a list of changes'] };
  const problems: string[] = [];
  const read = (candidates as { changes?: unknown }[]).map(({ changes }, at): Proposal => {
    const given = Array.isArray(changes) ? (changes as { path?: unknown; text?: unknown }[]) : [];
    if (given.length === 0) problems.push(`candidate ${at + 1} has no changes`);
    const operations = given.flatMap(({ path, text }): Operation[] => {
      if (typeof path !== 'string' || !known.has(path))
        problems.push(`path must be one of ${[...known.keys()].join(', ')}`);
      else if (typeof text !== 'string' || text.trim() === '' || text.length > wordCharacters)
        problems.push(`text must have 1 to ${wordCharacters} characters`);
      else return [{ op: 'set_field', path, value: text.toWellFormed() }];
      return [];
    });
    return { name: `p${at + 1}`, operations };
  });
  return problems.length > 0 ? { problems } : { value: read };
}

/**
 * Up to `count` candidates with other words for models, which the chat model proposes from the documents that the baseline did worst on.
 * Text of documents reaches the proposals: they are raced and confirmed like all others, and only people publish. Errors:
 * `experiment.model_missing`; `request.invalid` where there is nothing to learn from. Source: docs/decisions/0100.
 */
export async function proposeCandidates(
  ctx: Context,
  { baseline, version, count }: { baseline: ChosenVariant; version: DatasetVersionRecord; count: number },
): Promise<readonly Proposal[]> {
  const { chatModel: chat } = ctx.deps;
  if (chat.label === null)
    throw new AppError(
      'experiment.model_missing',
      'Proposals need a chat model, and none is configured. Send candidates or a space, or ask the operator to set CHAT_MODEL.',
    );
  const words = wordsOf(baseline.graph);
  if (words.size === 0)
    throw invalid('The workflow has no words for a model that could be changed. Send candidates or a space.');
  const mistakes = await mistakesOf(ctx, version, baseline.record.graphHash);
  if (mistakes.length === 0) throw invalid('The baseline made no mistake on dev: there is nothing to learn from.');
  const schema = answerSchema(count);
  const task = `Improve the words that a document workflow gives to language models. Propose up to ${count} candidates that differ in their idea; each
changes one or more of the texts, by their paths. Keep expressions in {{ }} as they are. Write general rules: never the values of these documents.
${schemaRule(schema)}`;
  const cut = (text: string): string => text.slice(0, shownCharacters).toWellFormed();
  const shown = [
    `Texts by path:\n${chat.delimit('texts', JSON.stringify(Object.fromEntries(words)))}`,
    ...mistakes.map(({ item: { reference }, cell }) => {
      const { text, fields, label } = reference ?? {};
      const right = cut(JSON.stringify({ label, fields, text }));
      return `Right:\n${chat.delimit('right', right)}\nThe workflow gave:\n${chat.delimit('output', cut(cell.outputText))}`;
    }),
  ];
  const { value } = await askForJson(chat, {
    messages: [systemMessage(task), { role: 'user', text: shown.join('\n\n') }],
    schema: { name: 'candidates', schema },
    maxOutputTokens: outputTokens,
    signal: ctx.signal,
    read: (answer) => readProposals(answer, words),
  });
  return valid(ctx, baseline, value.slice(0, count));
}

/** Candidates whose graphs can run and differ from the baseline and from each other. */
async function valid(
  ctx: Context,
  { graph, record: { workflowId } }: ChosenVariant,
  proposed: readonly Proposal[],
): Promise<readonly Proposal[]> {
  const seen = new Set([JSON.stringify(graph)]);
  const kept: Proposal[] = [];
  for (const one of proposed) {
    const changed = applyOperations(graph, one.operations).graph;
    const text = JSON.stringify(changed);
    if (seen.has(text) || !(await checkWorkflow(ctx, changed, workflowId)).valid) continue;
    seen.add(text);
    kept.push(one);
  }
  if (kept.length > 0) return kept;
  throw new AppError(
    'model.output_invalid',
    'The model proposed nothing new that can run. Call again, or send candidates.',
  );
}
