import type { DatasetRecord, DatasetVersionRecord } from '#src/domain/experiments/dataset.ts';
import { cellIdOf, type CellRecord, type ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { Stores } from '#test/support/database.ts';

const now = new Date();

interface Place {
  readonly organizationId: string;
  readonly projectId: string;
}

/** A dataset with one document, its version, an experiment on it, and its cell. Their ids begin with those of the place. */
export function experimentOf({ organizationId, projectId }: Place, documentId: string, words: string) {
  const datasetId = `ds_of_${organizationId}`;
  const experimentId = `exp_of_${organizationId}`;
  const common = { schemaVersion: 1, organizationId, projectId, name: words, createdAt: now } as const;
  const references = { text: 1, fields: 0, label: 0, regions: 0 };
  const dataset: DatasetRecord = {
    ...common,
    _id: datasetId,
    description: words,
    version: 1,
    generation: 1,
    counts: { dev: 0, holdout: 1 },
    references,
    updatedAt: now,
  };
  const item = { documentId, sha256: null, blockHash: null, split: 'holdout', pinned: true, tags: ['tag'] } as const;
  const version: DatasetVersionRecord = {
    _id: `${datasetId}@1`,
    organizationId,
    datasetId,
    version: 1,
    generation: 1,
    items: [{ ...item, reference: { text: words } }],
    author: 'test',
    at: now,
  };
  const experiment: ExperimentRecord = {
    ...common,
    _id: experimentId,
    kind: 'comparison',
    datasetId,
    datasetVersion: 1,
    split: 'holdout',
    status: 'running',
    stopped: null,
    variants: [],
    evaluators: [{ type: 'cer', output: 'text', ignoreCase: false, foldWhitespace: true }],
    trials: 1,
    seed: 'seed',
    stop: 'all',
    alpha: 0.05,
    margin: 0.02,
    harmSize: 0.1,
    maxHarmRate: 0.1,
    maxRuns: 10,
    maxCostUsd: null,
    maxConcurrency: 1,
    documentIds: [documentId],
    launched: 0,
    search: { active: [], rung: 0, rungs: [1], dropped: [], confirmation: null, draftRevision: null },
    result: null,
    parent: null,
    createdBy: 'test',
    apiKeyId: null,
    userId: null,
    finishedAt: null,
  };
  const where = { experimentId, documentId, variant: 'baseline', trial: 1 };
  const cell: CellRecord = {
    ...where,
    _id: cellIdOf(where),
    organizationId,
    runId: 'run_a',
    status: 'failed',
    error: words,
    scores: { cer: { value: 0.5, quality: 0.5, note: words } },
    ms: 1,
    costUsd: null,
    cached: false,
    outputText: words,
    at: now,
  };
  return { dataset, version, experiment, cell };
}

/** Every query about datasets and experiments. */
export async function askExperiments(
  { datasets, experiments, executions, results, workflows }: Stores,
  place: Place,
  tenants: readonly Tenant[],
): Promise<void> {
  const { organizationId } = place;
  const { dataset, version, experiment, cell } = experimentOf(place, 'doc_a', 'words');
  await datasets.save(dataset, version);
  await datasets.save(dataset, version);
  const next = { ...dataset, version: 2 };
  await datasets.save(next, { ...version, _id: `${dataset._id}@2`, version: 2 });
  await datasets.findVersion(organizationId, dataset._id, 1);
  await datasets.pastSplits(organizationId, dataset._id);
  await datasets.redact(organizationId, 'doc_other');
  await datasets.charge(version, experiment._id);
  await datasets.charge(version, experiment._id);
  await datasets.confirmations(dataset);
  await experiments.insert(experiment, new Map([['baseline', { schemaVersion: 1 } as never]]));
  const { search } = experiment;
  await experiments.findInOrganization(organizationId, experiment._id);
  await experiments.graph(organizationId, experiment._id, 'baseline');
  for (const tenant of tenants) {
    await datasets.find(tenant, dataset._id);
    await experiments.find(tenant, experiment._id);
    for (const after of [null, { createdAt: now, id: dataset._id }]) {
      await datasets.list(tenant, after, 26);
      for (const filter of [{}, { datasetId: dataset._id }]) await experiments.list(tenant, filter, after, 26);
    }
    await executions.recentRuns(tenant, 'wf_plans');
    await executions.answeredRuns(tenant, { workflowId: 'wf_plans', path: 'ask' }, 10);
  }
  await experiments.listRunning(10);
  await experiments.confirmationsOf(organizationId, dataset._id, 'hash');
  await experiments.saveCell(cell);
  await experiments.countCells(organizationId, experiment._id);
  await experiments.cells(organizationId, experiment._id);
  await experiments.cells(organizationId, experiment._id, 'doc_a');
  await experiments.launch(experiment, 1);
  await experiments.repeat(experiment, 1);
  if (search !== null) await experiments.saveSearch(experiment, search, { ...search, rung: 1 });
  await experiments.end(experiment, { status: 'canceled', stopped: 'canceled', result: null }, now);
  await results.blockHashes(organizationId, ['doc_a', 'doc_b']);
  const workflow = await workflows.find({ organizationId, projectIds: [place.projectId] }, 'wf_plans');
  if (workflow !== null) await workflows.setGate(workflow, null);
}
