import type { DatasetVersionRow } from '#src/stores/experiments/rows.ts';
import { LRUCache } from 'lru-cache';
import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { redactDatasets } from '#src/stores/experiments/redact.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import {
  ledgerIdOf,
  type DatasetItem,
  type DatasetRecord,
  type DatasetVersionRecord,
  type PastSplits,
} from '#src/domain/experiments/dataset.ts';

const owned = ({ organizationId, projectIds }: Tenant): Filter<DatasetRecord> => ({
  organizationId,
  projectId: { $in: [...projectIds] },
});

export const olderThan = (after: ListPosition | null): Filter<{ readonly _id: string; readonly createdAt: Date }> =>
  after === null
    ? {}
    : {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };

function createLedgers(datasetLedgers: Collections['datasetLedgers']) {
  return {
    /** Number of confirmations on this holdout. */
    async confirmations({ _id, organizationId, generation }: DatasetRecord): Promise<number> {
      const row = await datasetLedgers.findOne({ _id: ledgerIdOf({ _id, generation }), organizationId });
      return row?.experiments.length ?? 0;
    },
    /**
     * Charges the experiment to the ledger of the holdout, once, and returns its place, from 0. Two experiments at the same time get two
     * places.
     */
    async charge(
      {
        organizationId,
        datasetId,
        generation,
      }: Pick<DatasetVersionRecord, 'organizationId' | 'datasetId' | 'generation'>,
      experimentId: string,
    ): Promise<number> {
      const _id = ledgerIdOf({ _id: datasetId, generation });
      const ofLedger = { _id, organizationId };
      const add = () =>
        datasetLedgers.updateOne(
          { ...ofLedger, experiments: { $ne: experimentId } },
          { $push: { experiments: experimentId } },
          { upsert: true },
        );
      await add().catch(async (error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        // The ledger is there: it has this experiment already, or another process began it a moment ago.
        const ledger = await datasetLedgers.findOne(ofLedger);
        if (ledger?.experiments.includes(experimentId) !== true) await add();
      });
      const charged = await datasetLedgers.findOne(ofLedger);
      return charged?.experiments.indexOf(experimentId) ?? 0;
    },
  };
}

/** Limit on the characters of JSON of the cached versions, which change only when a document is deleted. */
const keptCharacters = 8_000_000;

export function createDatasetStore({
  datasets,
  datasetVersions,
  datasetLedgers,
}: Pick<Collections, 'datasets' | 'datasetVersions' | 'datasetLedgers'>) {
  const cache = new LRUCache<string, DatasetVersionRecord>({ maxSize: keptCharacters });
  const readVersion = ({
    documentIds: _ids,
    redactions: _redactions,
    items,
    ...row
  }: DatasetVersionRow): DatasetVersionRecord => ({
    ...row,
    items: JSON.parse(items) as DatasetItem[],
  });
  const rowOf = (version: DatasetVersionRecord): DatasetVersionRow => ({
    ...version,
    items: JSON.stringify(version.items),
    documentIds: version.items.map(({ documentId }) => documentId),
    redactions: 0,
  });
  return {
    find: (tenant: Tenant, id: string): Promise<DatasetRecord | null> =>
      datasets.findOne({ _id: id, ...owned(tenant) }),
    /** Lists newest first. */
    list: (tenant: Tenant, after: ListPosition | null, limit: number): Promise<readonly DatasetRecord[]> =>
      datasets
        .find({ ...owned(tenant), ...olderThan(after) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    async findVersion(
      organizationId: string,
      datasetId: string,
      version: number,
    ): Promise<DatasetVersionRecord | null> {
      const _id = `${datasetId}@${version}`;
      // Another process may have removed the reference of a deleted document since.
      const now = await datasetVersions.findOne({ _id, organizationId }, { projection: { redactions: 1 } });
      if (now === null) return null;
      const key = `${organizationId} ${_id} ${now.redactions}`;
      const kept = cache.get(key);
      if (kept !== undefined) return kept;
      const row = await datasetVersions.findOne({ _id, organizationId });
      if (row === null) return null;
      const found = readVersion(row);
      cache.set(key, found, { size: row.items.length });
      return found;
    },
    async pastSplits(organizationId: string, datasetId: string): Promise<PastSplits> {
      const [held, shown] = [new Map<string, number>(), new Set<string>()];
      for await (const row of datasetVersions.find({ organizationId, datasetId }))
        for (const { split, documentId, sha256 } of readVersion(row).items)
          for (const name of [documentId, sha256 ?? documentId])
            if (split === 'dev') shown.add(name);
            else held.set(name, Math.min(row.generation, held.get(name) ?? row.generation));
      return { held, shown };
    },
    /** Removes the references of a deleted document from all versions. */
    redact: (organizationId: string, documentId: string): Promise<void> =>
      redactDatasets(datasetVersions, organizationId, documentId),
    /** Stores the version, then the dataset that names it. False when another save took this version. */
    async save(dataset: DatasetRecord, version: DatasetVersionRecord): Promise<boolean> {
      const before = dataset.version - 1;
      try {
        await datasetVersions.insertOne(rowOf(version));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // A save that died between the two writes left a version that no dataset names. It is replaced.
        const named = await datasets.findOne({ _id: dataset._id, organizationId: dataset.organizationId });
        if ((named?.version ?? 0) !== before) return false;
        await datasetVersions.replaceOne({ _id: version._id, organizationId: version.organizationId }, rowOf(version));
      }
      if (before === 0) {
        await datasets.insertOne(dataset);
        return true;
      }
      const { _id, organizationId, createdAt: _createdAt, ...changed } = dataset;
      const done = await datasets.updateOne({ _id, organizationId, version: before }, { $set: changed });
      return done.matchedCount === 1;
    },
    ...createLedgers(datasetLedgers),
  };
}

/** Datasets, their immutable versions, and the alpha ledgers of their holdouts. Source: docs/decisions/0098. */
export type DatasetStore = ReturnType<typeof createDatasetStore>;
