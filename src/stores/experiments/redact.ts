import type { Collections } from '#src/stores/collections.ts';
import type { DatasetItem } from '#src/domain/experiments/dataset.ts';
import type { CellRecord } from '#src/domain/experiments/experiment.ts';

/**
 * Removes the words of a deleted document from experiments: its references in all versions of datasets, and outputs, notes and errors of its
 * cells. Tags, splits, digests and scores stay: experiments that ended can be read, and a copy of the document is still known to its ledger.
 */
export async function redactExperiments(
  { datasetVersions, experimentCells }: Pick<Collections, 'datasetVersions' | 'experimentCells'>,
  organizationId: string,
  documentId: string,
): Promise<void> {
  await redactDatasets(datasetVersions, organizationId, documentId);
  for await (const { _id, scores } of experimentCells.find(
    { organizationId, documentId },
    { projection: { scores: 1 } },
  )) {
    const kept = Object.entries(JSON.parse(scores) as CellRecord['scores']).map(
      ([metric, score]) => [metric, { ...score, note: null }] as const,
    );
    await experimentCells.updateOne(
      { _id, organizationId },
      { $set: { outputText: '', error: null, scores: JSON.stringify(Object.fromEntries(kept)) } },
    );
  }
}

export async function redactDatasets(
  datasetVersions: Collections['datasetVersions'],
  organizationId: string,
  documentId: string,
): Promise<void> {
  const ofDocument = { organizationId, documentIds: documentId };
  for await (const { _id } of datasetVersions.find(ofDocument, { projection: { _id: 1 } }))
    for (let done = false; !done;) done = await redactVersion(datasetVersions, { _id, organizationId }, documentId);
}

/** Removes its reference from one version. False when another document of the version was redacted meanwhile. */
async function redactVersion(
  datasetVersions: Collections['datasetVersions'],
  place: { readonly _id: string; readonly organizationId: string },
  documentId: string,
): Promise<boolean> {
  const row = await datasetVersions.findOne(place, { projection: { items: 1, redactions: 1 } });
  if (row === null) return true;
  const items = (JSON.parse(row.items) as DatasetItem[]).map((item) =>
    item.documentId === documentId ? { ...item, reference: null, blockHash: null } : item,
  );
  const { redactions } = row;
  const done = await datasetVersions.updateOne(
    { ...place, redactions },
    { $set: { items: JSON.stringify(items), redactions: redactions + 1 } },
  );
  return done.matchedCount === 1;
}
