import type { Stores } from '#test/support/database.ts';
import { experimentOf } from '#test/stores/support/ask-experiments.ts';

interface Who {
  readonly organizationId: string;
  readonly projectIds: [string];
  readonly documentId: string;
  readonly workflowId: string;
}
type Try = (asker: Who, target: Who) => Promise<unknown>;

const text = 'The walnut table';
const of = ({ organizationId, projectIds, documentId }: Who) =>
  experimentOf({ organizationId, projectId: projectIds[0] }, documentId, text);
/** The records of the target under the organization of the asker. */
const stolen = ({ organizationId }: Who, target: Who) => {
  const { dataset, version, experiment, cell } = of(target);
  return {
    dataset: { ...dataset, organizationId },
    version: { ...version, organizationId },
    experiment: { ...experiment, organizationId },
    cell: { ...cell, organizationId },
  };
};

export async function seedExperiment({ datasets, experiments }: Stores, who: Who): Promise<void> {
  const { dataset, version, experiment, cell } = of(who);
  await datasets.save(dataset, version);
  await datasets.charge(version, experiment._id);
  const graph = { schemaVersion: 1, name: text, nodes: {}, edges: [] } as never;
  await experiments.insert(experiment, new Map([['baseline', graph]]));
  const graphHash = 'hash';
  const ended = {
    ...experiment,
    _id: `${experiment._id}_2`,
    status: 'succeeded',
    variants: [{ graphHash, operations: null }],
  } as never;
  await experiments.insert(ended, new Map([['baseline', graph]]));
  await experiments.saveCell(cell);
}

export const experimentReads = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  'datasets.find': (who, target) => stores().datasets.find(who, of(target).dataset._id),
  'datasets.list': ({ organizationId }, { projectIds }) =>
    stores().datasets.list({ organizationId, projectIds }, null, 10),
  'datasets.findVersion': (who, target) => stores().datasets.findVersion(who.organizationId, of(target).dataset._id, 1),
  'datasets.pastSplits': async (who, target) => {
    const { held, shown } = await stores().datasets.pastSplits(who.organizationId, of(target).dataset._id);
    return [...held.keys(), ...shown];
  },
  'datasets.confirmations': (who, target) => stores().datasets.confirmations(stolen(who, target).dataset),
  'experiments.find': (who, target) => stores().experiments.find(who, of(target).experiment._id),
  'experiments.findInOrganization': (who, target) =>
    stores().experiments.findInOrganization(who.organizationId, of(target).experiment._id),
  'experiments.graph': (who, target) =>
    stores().experiments.graph(who.organizationId, of(target).experiment._id, 'baseline'),
  'experiments.list': ({ organizationId }, { projectIds }) =>
    stores().experiments.list({ organizationId, projectIds }, {}, null, 10),
  'experiments.confirmationsOf': (who, target) =>
    stores().experiments.confirmationsOf(who.organizationId, of(target).dataset._id, 'hash'),
  'experiments.countCells': (who, target) =>
    stores().experiments.countCells(who.organizationId, of(target).experiment._id),
  'experiments.cells': (who, target) => stores().experiments.cells(who.organizationId, of(target).experiment._id),
});

export const experimentChanges = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  'datasets.save': (who, target) => stores().datasets.save(stolen(who, target).dataset, stolen(who, target).version),
  'datasets.redact': (who, target) => stores().datasets.redact(who.organizationId, target.documentId),
  'datasets.charge': (who, target) => stores().datasets.charge(stolen(who, target).version, 'exp_stolen'),
  'experiments.insert': (who, target) => stores().experiments.insert(stolen(who, target).experiment, new Map()),
  'experiments.saveCell': (who, target) => stores().experiments.saveCell(stolen(who, target).cell),
  'experiments.launch': (who, target) => stores().experiments.launch(stolen(who, target).experiment, 1),
  'experiments.repeat': (who, target) => stores().experiments.repeat(stolen(who, target).experiment, 1),
  'experiments.saveSearch': (who, target) => {
    const { experiment } = stolen(who, target);
    if (experiment.search === null) throw new Error('no search');
    return stores().experiments.saveSearch(experiment, experiment.search, { ...experiment.search, rung: 9 });
  },
  'experiments.end': (who, target) =>
    stores().experiments.end(
      stolen(who, target).experiment,
      { status: 'canceled', stopped: 'stolen', result: null },
      new Date(),
    ),
  'workflows.setGate': async (who, target) => {
    const workflow = await stores().workflows.find(target, target.workflowId);
    if (workflow === null) throw new Error('no workflow');
    const gate = { datasetId: 'stolen' } as never;
    return stores().workflows.setGate({ ...workflow, organizationId: who.organizationId }, gate);
  },
});
