import type { z } from 'zod';
import { nextAlpha } from '@inkgraph/paired-statistics/alpha-ledger';
import type { Dataset } from '#src/contracts/experiments/dataset.ts';
import { AppError } from '#src/domain/app-error.ts';
import { ledgerAlpha, type DatasetRecord } from '#src/domain/experiments/dataset.ts';
import type { ToolContext } from '#tools/define.ts';

/** Error: `dataset.not_found`. */
export async function requireDataset(
  { deps, principal }: Pick<ToolContext<'datasets'>, 'deps' | 'principal'>,
  id: string,
): Promise<DatasetRecord> {
  const found = await deps.datasets.find(principal, id);
  if (found !== null) return found;
  throw new AppError(
    'dataset.not_found',
    'This credential can read no dataset with this id. Take an id from the list of datasets.',
  );
}

export function presentDataset(record: DatasetRecord, confirmations: number): z.input<typeof Dataset> {
  const { _id: datasetId, name, description, projectId, version, counts, references } = record;
  return {
    datasetId,
    name,
    description,
    projectId,
    version,
    counts: { ...counts },
    references: { ...references },
    ledger: { alpha: ledgerAlpha, confirmations, nextAlpha: nextAlpha(ledgerAlpha, confirmations) },
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}
