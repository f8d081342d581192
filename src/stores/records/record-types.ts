import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { recordLimits } from '#src/contracts/records/record-type.ts';
import { presets, type Preset } from '#src/domain/records/presets.ts';
import { recordTypeId, type OfProject, type RecordTypeRecord } from '#src/domain/records/record-type.ts';

/** A preset as the type of a project that has saved none of this name. */
const unsaved = (of: OfProject, preset: Preset): RecordTypeRecord => ({
  ...preset,
  _id: recordTypeId(of, preset.name),
  organizationId: of.organizationId,
  projectId: of.projectId,
  version: 0,
  savedAt: new Date(0),
  savedBy: '',
  earlier: [],
});

export function createRecordTypeStore({ recordTypes }: Pick<Collections, 'recordTypes'>) {
  return {
    /** The type with this name: saved, or else a preset, which has version 0. */
    async find(of: OfProject, name: string): Promise<RecordTypeRecord | null> {
      const saved = await recordTypes.findOne({ _id: recordTypeId(of, name), organizationId: of.organizationId });
      if (saved !== null) return saved;
      const preset = presets.find((one) => one.name === name);
      return preset === undefined ? null : unsaved(of, preset);
    },
    /** All types of a project by name, presets that it has not saved among them. Without earlier versions. */
    async list(of: OfProject): Promise<readonly RecordTypeRecord[]> {
      const { organizationId, projectId } = of;
      const saved = await recordTypes
        .find({ organizationId, projectId }, { projection: { earlier: 0 } })
        .limit(recordLimits.types)
        .map((row): RecordTypeRecord => ({ ...row, earlier: [] }))
        .toArray();
      const names = new Set(saved.map(({ name }) => name));
      const others = presets.filter(({ name }) => !names.has(name)).map((preset) => unsaved(of, preset));
      return [...saved, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    count: ({ organizationId, projectId }: OfProject): Promise<number> =>
      recordTypes.countDocuments({ organizationId, projectId }),
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
