import type { z } from 'zod';
import type { ExperimentItem } from '#src/contracts/experiments/experiment.ts';
import { AppError } from '#src/domain/app-error.ts';
import { titleOf } from '#src/domain/documents/document.ts';
import { isOver, type CellRecord, type ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { differencesOf, gridOf, itemValue } from '#src/domain/experiments/scores.ts';
import { headline, type ExperimentSummary } from '#src/domain/experiments/summarize.ts';
import type { ToolContext } from '#tools/define.ts';
import { metricsOf } from '#tools/experiments/present.ts';

interface Asked {
  readonly view: 'items' | 'regressions';
  readonly variant?: string | undefined;
  readonly metric?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Differences of documents are told of dev, and after the end. Errors: `experiment.holdout_hidden`, `request.invalid`. */
export function requireShown(experiment: ExperimentRecord, pointer: '/experimentId' | '/view'): void {
  if (experiment.split === 'holdout')
    throw new AppError(
      'experiment.holdout_hidden',
      'This experiment ran on the holdout. Its documents are shown to nobody, or the next confirmation would prove less.',
    );
  if (!isOver(experiment))
    throw new AppError('request.invalid', 'The experiment still runs. Read its documents when it has ended.', {
      errors: [{ pointer, code: 'not_ended', message: 'wait for the end with view summary' }],
    });
}

function chosen(experiment: ExperimentRecord, { variant, metric }: Asked): { variant: string; metric: string } {
  const metrics = metricsOf(experiment);
  const { comparisons } = JSON.parse(experiment.result ?? '{"comparisons":[]}') as ExperimentSummary;
  const [primary = ''] = metrics;
  const candidates = experiment.variants.slice(1).map(({ name }) => name);
  const wanted = variant ?? headline(comparisons, primary)?.variant ?? candidates[0] ?? '';
  const by = metric ?? primary;
  for (const [pointer, value, known] of [
    ['/variant', wanted, candidates],
    ['/metric', by, metrics],
  ] as const)
    if (!known.includes(value))
      throw new AppError('request.invalid', `Field ${pointer}: use one of ${known.join(', ')}.`, {
        errors: [{ pointer, code: 'invalid_value', message: `use one of ${known.join(', ')}` }],
      });
  return { variant: wanted, metric: by };
}

function presentCells(
  cells: readonly CellRecord[] | undefined,
  metric: string,
): z.input<typeof ExperimentItem>['variant'] {
  const [first] = cells ?? [];
  if (cells === undefined || first === undefined) return null;
  const failed = cells.find(({ status }) => status !== 'succeeded');
  return {
    status: failed?.status ?? 'succeeded',
    value: itemValue(cells, metric),
    noteText: failed?.error ?? first.scores[metric]?.note ?? null,
    outputText: first.outputText,
    runId: first.runId,
  };
}

/** Titles or file names by document id, with one read. Names are of documents: a credential that reads runs alone gets none. */
async function namesOf(
  { deps, principal }: ToolContext<'documents'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0 || !principal.scopes.has('documents:read')) return new Map();
  const documents = await deps.documents.findMany(principal, ids);
  return new Map(documents.map((document) => [document._id, titleOf(document) ?? document.filename ?? null]));
}

/** Documents with both outputs, the largest loss first; `regressions` has those that lost. */
export async function presentDocuments(
  ctx: ToolContext<'documents' | 'experiments'>,
  experiment: ExperimentRecord,
  asked: Asked,
): Promise<{ documents: z.input<typeof ExperimentItem>[]; nextOffset: number | null }> {
  requireShown(experiment, '/view');
  const { variant, metric } = chosen(experiment, asked);
  const grid = gridOf(await ctx.deps.experiments.cells(experiment.organizationId, experiment._id));
  // Metrics without a bound, latency and cost, are better when lower; differences of all others are those of their qualities.
  const differences = new Map(
    differencesOf(experiment, grid, variant, { name: metric, better: 'lower' }).map(({ documentId, difference }) => [
      documentId,
      typeof difference === 'number' ? difference : null,
    ]),
  );
  const all = experiment.documentIds
    .filter((id) => grid.has(id))
    .map((documentId) => ({ documentId, difference: differences.get(documentId) ?? null }))
    .filter(({ difference }) => asked.view === 'items' || (difference !== null && difference < 0))
    .toSorted((a, b) => (a.difference ?? 2) - (b.difference ?? 2));
  const page = all.slice(asked.offset, asked.offset + asked.limit);
  const baseline = experiment.variants[0]?.name ?? '';
  const names = await namesOf(
    ctx,
    page.map(({ documentId }) => documentId),
  );
  return {
    documents: page.map(({ documentId, difference }) => ({
      documentId,
      title: names.get(documentId) ?? null,
      difference: difference === null ? null : Math.round(difference * 10_000) / 10_000,
      baseline: presentCells(grid.get(documentId)?.get(baseline), metric),
      variant: presentCells(grid.get(documentId)?.get(variant), metric),
    })),
    nextOffset: asked.offset + asked.limit < all.length ? asked.offset + asked.limit : null,
  };
}
