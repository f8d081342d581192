import { raceRound, type Racer } from '@inkgraph/paired-statistics/race';
import type { Difference } from '@inkgraph/paired-statistics/summary';
import { holdoutLevel } from '#src/domain/experiments/dataset.ts';
import {
  isOver,
  type CellRecord,
  type ExperimentRecord,
  type SearchState,
} from '#src/domain/experiments/experiment.ts';
import { documentOrder } from '#src/domain/experiments/launch.ts';
import { differencesOf, gridOf, type Metric } from '#src/domain/experiments/scores.ts';
import { headline, summarize, type ExperimentSummary } from '#src/domain/experiments/summarize.ts';
import { derivedId } from '#src/domain/ids.ts';
import type { DatasetStore } from '#src/stores/experiments/dataset-store.ts';
import type { ExperimentStore } from '#src/stores/experiments/experiment-store.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

export interface SearchParts {
  readonly experiments: ExperimentStore;
  readonly datasets: Pick<DatasetStore, 'charge' | 'findVersion'>;
  readonly workflows: Pick<WorkflowStore, 'findDraft' | 'saveDraft'>;
}

/** The runner's next deed after a step of a search. */
export type SearchStep =
  | { readonly kind: 'advance'; readonly experimentId: string }
  | { readonly kind: 'wait' }
  | { readonly kind: 'end'; readonly result: ExperimentSummary };

/** Candidates that are left, with a difference for each document so far. One that the metric cannot judge speaks for nobody. */
function racersOf(
  experiment: ExperimentRecord,
  { active }: SearchState,
  cells: readonly CellRecord[],
  [primary]: readonly Metric[],
): Racer[] {
  if (primary === undefined) return [];
  const grid = gridOf(cells);
  return active.map((name) => {
    const judged = differencesOf(experiment, grid, name, primary).map(({ difference }) => difference);
    const unjudged = Array.from<Difference>({ length: experiment.launched - judged.length }).fill(0);
    return { name, differences: [...judged, ...unjudged] };
  });
}

/**
 * Steps of a search between its rounds: drops the worse half of the candidates, confirms the winner once on the holdout, and leaves it as
 * the draft. Each step is a conditional write, so that a repetition changes nothing. Source: docs/decisions/0099.
 */
export class SearchSteps {
  readonly #parts: SearchParts;

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  /** All cells of this rung are measured. */
  async step(
    experiment: ExperimentRecord,
    cells: readonly CellRecord[],
    metrics: readonly Metric[],
  ): Promise<SearchStep> {
    const { search } = experiment;
    if (search === null) throw new Error(`${experiment._id} is no search`);
    if (search.confirmation !== null) return this.#confirmed(experiment, search, { cells, metrics });
    const { alpha, variants, documentIds, launched } = experiment;
    const racers = racersOf(experiment, search, cells, metrics);
    const round = raceRound({ racers, entrants: variants.length - 1, items: documentIds.length, alpha });
    if (round.next !== null) {
      const dropped = round.drop.map(({ name: variant }) => ({ variant, items: launched }));
      const next = { ...search, active: round.keep, rung: search.rung + 1, dropped: [...search.dropped, ...dropped] };
      await this.#parts.experiments.saveSearch(experiment, search, next);
      return { kind: 'advance', experimentId: experiment._id };
    }
    const { best } = round;
    if (best === null) return { kind: 'end', result: { ...summarize(experiment, cells, metrics), winner: null } };
    const experimentId = await this.#confirm(experiment, best);
    await this.#parts.experiments.saveSearch(experiment, search, { ...search, confirmation: experimentId });
    return { kind: 'advance', experimentId };
  }

  /** Stores the experiment that compares winner and baseline on the holdout; the runner starts its documents. */
  async #confirm(search: ExperimentRecord, winner: string): Promise<string> {
    const { organizationId, datasetId, datasetVersion, seed } = search;
    const { experiments, datasets } = this.#parts;
    const id = derivedId('experiment', search._id, 'confirmation');
    const version = await datasets.findVersion(organizationId, datasetId, datasetVersion);
    if (version === null) throw new Error(`${datasetId}@${datasetVersion} is not there`);
    const variants = search.variants.filter(({ name }, at) => at === 0 || name === winner);
    const graphs = new Map(
      await Promise.all(
        variants.map(async ({ name }) => {
          const graph = await experiments.graph(organizationId, search._id, name);
          if (graph === null) throw new Error(`${search._id} has no graph of ${name}`);
          return [name, graph] as const;
        }),
      ),
    );
    const held = version.items.filter(({ split }) => split === 'holdout').map(({ documentId }) => documentId);
    const place = await datasets.charge(version, id);
    await experiments.insert(
      {
        ...search,
        _id: id,
        kind: 'comparison',
        name: `Confirmation of ${winner}`,
        split: 'holdout',
        stop: 'all',
        variants,
        alpha: holdoutLevel(search.alpha, place),
        documentIds: documentOrder(held, seed),
        launched: 0,
        search: null,
        result: null,
        parent: search._id,
        createdAt: new Date(),
      },
      graphs,
    );
    return id;
  }

  /** Ends the search when its confirmation has ended. The winner becomes the draft where it was confirmed as better. */
  async #confirmed(
    experiment: ExperimentRecord,
    search: SearchState,
    { cells, metrics }: { readonly cells: readonly CellRecord[]; readonly metrics: readonly Metric[] },
  ): Promise<SearchStep> {
    const { experiments } = this.#parts;
    const confirmation = await experiments.findInOrganization(experiment.organizationId, search.confirmation ?? '');
    if (confirmation === null || !isOver(confirmation)) return { kind: 'wait' };
    const { comparisons } = JSON.parse(confirmation.result ?? '{"comparisons":[]}') as ExperimentSummary;
    const confirmed = headline(comparisons, metrics[0]?.name ?? '');
    const winner = confirmation.variants[1]?.name ?? null;
    const summary = { ...summarize(experiment, cells, metrics), winner, confirmed };
    const draftRevision =
      confirmed?.verdict === 'better' && winner !== null
        ? await this.#leaveDraft(experiment, winner, confirmed.sentence)
        : null;
    await experiments.saveSearch(experiment, search, { ...search, draftRevision });
    return { kind: 'end', result: summary };
  }

  /** Revision of the draft with the winner; null where people edited the draft meanwhile, which is kept. */
  async #leaveDraft(
    { _id, organizationId, createdBy: author, variants }: ExperimentRecord,
    winner: string,
    sentence: string,
  ): Promise<number | null> {
    const { experiments, workflows } = this.#parts;
    const [baseline] = variants;
    const its = variants.find(({ name }) => name === winner);
    const graph = await experiments.graph(organizationId, _id, winner);
    const draft = await workflows.findDraft(organizationId, baseline?.workflowId ?? '');
    if (its === undefined || graph === null || draft === null) return null;
    if (draft.graphHash === its.graphHash) return draft.revision;
    if (draft.graphHash !== baseline?.graphHash) return null;
    const revision = draft.revision + 1;
    const note = `Found by ${_id}: ${sentence}`.slice(0, 500);
    const edit = { author, surface: 'code' as const, note, at: new Date(), revision, operations: its.operations ?? [] };
    return (await workflows.saveDraft({ ...draft, revision, graph, graphHash: its.graphHash, lastEdit: edit }))
      ? revision
      : null;
  }
}
