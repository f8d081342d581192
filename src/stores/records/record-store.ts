import { within, type TimeWindow } from '#src/stores/reads-in-time.ts';
import type { Filter } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey, processSafe } from '#src/stores/connect.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import { homesOf } from '#src/stores/hidden-organization.ts';
import { createRecordQueries } from '#src/stores/records/record-queries.ts';
import { toRecord, type RecordRow } from '#src/stores/records/row.ts';

export function createRecordStore({ records }: Pick<Collections, 'records'>) {
  return {
    ...createRecordQueries({ records }),
    async find(
      { organizationId, projectIds }: { readonly organizationId: string; readonly projectIds: readonly string[] },
      _id: string,
    ): Promise<RecordRecord | null> {
      const row = await records.findOne({ _id, organizationId, projectId: { $in: [...projectIds] } });
      return row === null ? null : toRecord(row);
    },
    /** Stores a record whose revision is the next one. False when another change took it. */
    async save(row: RecordRow): Promise<boolean> {
      const { _id, organizationId, revision } = row;
      if (revision > 1) {
        const before: Filter<RecordRow> = { _id, organizationId, revision: revision - 1 };
        return (await records.replaceOne(before, row, processSafe)).matchedCount === 1;
      }
      try {
        await records.insertOne(row, processSafe);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    /** Records of all organizations, in the order of their changes. `after` is the id of the last one at `from`. */
    async changedBetween(window: TimeWindow, limit: number): Promise<readonly RecordRecord[]> {
      const changed = records.find(within('updatedAt', window)).sort({ updatedAt: 1, _id: 1 }).limit(limit);
      return (await changed.toArray()).map(toRecord);
    },
    /** Deletes the records of a document, in the trash too. */
    async deleteOf(organizationId: string, documentId: string): Promise<void> {
      await records.deleteMany({ organizationId: { $in: [...homesOf(organizationId)] }, documentId }, processSafe);
    },
  };
}

/** Records of documents, and questions over them. Source: docs/decisions/0138. */
export type RecordStore = ReturnType<typeof createRecordStore>;
