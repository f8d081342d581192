import type { CellRow, ExperimentRow } from '#src/stores/experiments/rows.ts';
import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { olderThan } from '#src/stores/experiments/dataset-store.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { ExperimentStatus } from '#src/contracts/experiments/experiment.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import type { CellRecord, ExperimentRecord, SearchState } from '#src/domain/experiments/experiment.ts';
import type { EvaluatorSpec } from '#src/contracts/experiments/evaluator.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';

const owned = ({ organizationId, projectIds }: Tenant): Filter<ExperimentRow> => ({
  organizationId,
  projectId: { $in: [...projectIds] },
});

const toRow = ({ evaluators, variants, ...rest }: ExperimentRecord): ExperimentRow => ({
  ...rest,
  evaluators: JSON.stringify(evaluators),
  variants: variants.map((variant) => ({
    ...variant,
    operations: variant.operations === null ? null : JSON.stringify(variant.operations),
  })),
});

const fromRow = ({ evaluators, variants, ...rest }: ExperimentRow): ExperimentRecord => ({
  ...rest,
  evaluators: JSON.parse(evaluators) as EvaluatorSpec[],
  variants: variants.map((variant) => ({
    ...variant,
    operations: variant.operations === null ? null : (JSON.parse(variant.operations) as Operation[]),
  })),
});

const cellOf = ({ scores, ...rest }: CellRow): CellRecord => ({
  ...rest,
  scores: JSON.parse(scores) as CellRecord['scores'],
});

/** Leaves out what a cell quotes of a document that is in the trash. */
function shownCell(cell: CellRecord): CellRecord {
  if (cell.trashed !== true) return cell;
  const scores = Object.entries(cell.scores).map(([metric, score]) => [metric, { ...score, note: null }] as const);
  return { ...cell, outputText: '', error: null, scores: Object.fromEntries(scores) };
}

function createCells(experimentCells: Collections['experimentCells']) {
  return {
    /** Stores a cell, once. False when it is stored already. */
    async saveCell({ scores, ...cell }: CellRecord): Promise<boolean> {
      try {
        await experimentCells.insertOne({ ...cell, scores: JSON.stringify(scores) });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    countCells: (organizationId: string, experimentId: string): Promise<number> =>
      experimentCells.countDocuments({ organizationId, experimentId }),
    /** All cells of an experiment, or those of one document. At most `experimentLimits.runs`. */
    async cells(organizationId: string, experimentId: string, documentId?: string): Promise<readonly CellRecord[]> {
      const of = { organizationId, experimentId, ...(documentId === undefined ? {} : { documentId }) };
      return (await experimentCells.find(of).toArray()).map(cellOf).map(shownCell);
    },
  };
}

/** Changes of an experiment that runs, each once. */
function createProgress(experiments: Collections['experiments']) {
  const running = (organizationId: string, id: string): Filter<ExperimentRow> => ({
    _id: id,
    organizationId,
    status: 'running',
  });
  return {
    /** Raises the number of launched documents. False when another process did, or the experiment has ended. */
    async launch({ _id, organizationId, launched }: ExperimentRecord, more: number): Promise<boolean> {
      const done = await experiments.updateOne(
        { ...running(organizationId, _id), launched },
        { $set: { launched: launched + more } },
      );
      return done.matchedCount === 1;
    },
    /** Counts a run that is started again. False when `most` were, or the experiment has ended. */
    async repeat({ _id, organizationId }: ExperimentRecord, most: number): Promise<boolean> {
      if (most <= 0) return false;
      const few = { $or: [{ repeats: { $exists: false } }, { repeats: { $lt: most } }] };
      const done = await experiments.updateOne({ ...running(organizationId, _id), ...few }, { $inc: { repeats: 1 } });
      return done.matchedCount === 1;
    },
    /** Replaces the state of a search if it is still at this rung. */
    async saveSearch(
      { _id, organizationId }: ExperimentRecord,
      before: SearchState,
      search: SearchState,
    ): Promise<boolean> {
      const done = await experiments.updateOne(
        { ...running(organizationId, _id), 'search.rung': before.rung },
        { $set: { search } },
      );
      return done.matchedCount === 1;
    },
    /** Ends it, once. False when it has ended. */
    async end(
      { _id, organizationId }: Pick<ExperimentRecord, '_id' | 'organizationId'>,
      end: { readonly status: ExperimentStatus; readonly stopped: string; readonly result: string | null },
      now: Date,
    ): Promise<boolean> {
      const done = await experiments.updateOne(running(organizationId, _id), { $set: { ...end, finishedAt: now } });
      return done.matchedCount === 1;
    },
  };
}

export function createExperimentStore({
  experiments,
  experimentGraphs,
  experimentCells,
}: Pick<Collections, 'experiments' | 'experimentGraphs' | 'experimentCells'>) {
  return {
    /** Stores the graphs, then the experiment: one that exists has all of them. False when this id exists. */
    async insert(experiment: ExperimentRecord, graphs: ReadonlyMap<string, StoredGraph>): Promise<boolean> {
      const { _id: experimentId, organizationId } = experiment;
      const rows = [...graphs].map(([name, graph]) => ({
        replaceOne: {
          filter: { _id: `${experimentId}/${name}`, organizationId },
          replacement: { organizationId, experimentId, graph: JSON.stringify(graph) },
          upsert: true,
        },
      }));
      await experimentGraphs.bulkWrite(rows, { ordered: false });
      try {
        await experiments.insertOne(toRow(experiment));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(tenant: Tenant, id: string): Promise<ExperimentRecord | null> {
      const row = await experiments.findOne({ _id: id, ...owned(tenant) });
      return row === null ? null : fromRow(row);
    },
    /** For the agents service, which works for all tenants. */
    async findInOrganization(organizationId: string, id: string): Promise<ExperimentRecord | null> {
      const row = await experiments.findOne({ _id: id, organizationId });
      return row === null ? null : fromRow(row);
    },
    async graph(organizationId: string, experimentId: string, variant: string): Promise<StoredGraph | null> {
      const row = await experimentGraphs.findOne({ _id: `${experimentId}/${variant}`, organizationId });
      return row === null ? null : (JSON.parse(row.graph) as StoredGraph);
    },
    /** Lists newest first. */
    async list(
      tenant: Tenant,
      { datasetId }: { readonly datasetId?: string | undefined },
      after: ListPosition | null,
      limit: number,
    ): Promise<readonly ExperimentRecord[]> {
      const rows = await experiments
        .find({ ...owned(tenant), ...(datasetId === undefined ? {} : { datasetId }), ...olderThan(after) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return rows.map(fromRow);
    },
    /** Experiments of all tenants that have not ended. */
    async listRunning(limit: number): Promise<readonly ExperimentRecord[]> {
      const rows = await experiments.find({ status: 'running' }).limit(limit).toArray();
      return rows.map(fromRow);
    },
    /** Confirmations on a holdout that compared this graph with another, newest first. */
    async confirmationsOf(
      organizationId: string,
      datasetId: string,
      graphHash: string,
    ): Promise<readonly ExperimentRecord[]> {
      const rows = await experiments
        .find({ organizationId, datasetId, split: 'holdout', status: 'succeeded', 'variants.graphHash': graphHash })
        .sort({ createdAt: -1, _id: -1 })
        .limit(50)
        .toArray();
      return rows.map(fromRow);
    },
    ...createCells(experimentCells),
    ...createProgress(experiments),
  };
}

/** Experiments with their graphs and measured cells. All changes are conditional updates of single rows. Source: docs/decisions/0098. */
export type ExperimentStore = ReturnType<typeof createExperimentStore>;
