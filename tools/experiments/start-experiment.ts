import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { holdoutLevel, type DatasetVersionRecord } from '#src/domain/experiments/dataset.ts';
import type { ExperimentRecord } from '#src/domain/experiments/experiment.ts';
import { mayLaunch, runsOfItem } from '#src/domain/experiments/launch.ts';
import type { ToolContext } from '#tools/define.ts';

/**
 * Stores the experiment and starts its first documents; the agents service goes on. A look at the holdout is charged to the ledger before
 * anything runs: a crash in between costs a level and gives none away.
 */
export async function startExperiment(
  { deps }: ToolContext<'datasets' | 'executions' | 'experiments' | 'wake'>,
  wanted: ExperimentRecord,
  { version, graphs }: { readonly version: DatasetVersionRecord; readonly graphs: ReadonlyMap<string, StoredGraph> },
): Promise<ExperimentRecord> {
  const { organizationId } = wanted;
  const held = wanted.split === 'holdout';
  const alpha = held ? holdoutLevel(wanted.alpha, await deps.datasets.charge(version, wanted._id)) : wanted.alpha;
  const charged: ExperimentRecord = { ...wanted, alpha };
  const first = mayLaunch(charged, 0, 0);
  const experiment = { ...charged, launched: first };
  if (!(await deps.experiments.insert(experiment, graphs)))
    return (await deps.experiments.findInOrganization(organizationId, wanted._id)) ?? experiment;
  const answers = new Map(version.items.map(({ documentId, reference }) => [documentId, reference?.answers]));
  const runs = experiment.documentIds.slice(0, first).flatMap((id) => runsOfItem(experiment, id, answers.get(id)));
  await deps.executions.createAll(runs);
  await deps.wake.notify();
  return experiment;
}
