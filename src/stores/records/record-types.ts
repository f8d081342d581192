import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { derivedId } from '#src/domain/ids.ts';
import type { RecordTypeRecord } from '#src/domain/records/record-type.ts';

export interface OfProject {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Id of the type with this name in the project. */
export const recordTypeId = ({ projectId }: OfProject, name: string): string =>
  derivedId('recordType', projectId, name);

export function createRecordTypeStore({ recordTypes }: Pick<Collections, 'recordTypes'>) {
  return {
    find: (of: OfProject, name: string): Promise<RecordTypeRecord | null> =>
      recordTypes.findOne({ _id: recordTypeId(of, name), organizationId: of.organizationId }),
    /** All types of a project, by name. */
    list: ({ organizationId, projectId }: OfProject, limit: number): Promise<readonly RecordTypeRecord[]> =>
      recordTypes
        .find({ organizationId, projectId }, { projection: { earlier: 0 } })
        .sort({ name: 1 })
        .limit(limit)
        .map((row) => ({ ...row, earlier: [] }))
        .toArray(),
    /** Stores the next version. False when another save took it. */
    async save(type: RecordTypeRecord): Promise<boolean> {
      const { _id, organizationId, version } = type;
      if (version > 1)
        return (await recordTypes.replaceOne({ _id, organizationId, version: version - 1 }, type)).matchedCount === 1;
      try {
        await recordTypes.insertOne(type);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}

/** Record types of projects, each with all of its versions. Source: docs/decisions/0138. */
export type RecordTypeStore = ReturnType<typeof createRecordTypeStore>;
