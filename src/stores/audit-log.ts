import type { Collections } from '#src/stores/collections.ts';
import { newId } from '#src/domain/ids.ts';
import type { AuditLog } from '#src/domain/ports/audit-log.ts';

export function createAuditLog({ audit }: Pick<Collections, 'audit'>): AuditLog {
  return {
    async record(entry) {
      const at = new Date();
      await audit.insertOne({ ...entry, _id: newId('event', at), at });
    },
    async list(organizationId, { action }, after, limit) {
      const older =
        after === null
          ? {}
          : { at: { $lte: after.createdAt }, $or: [{ at: { $lt: after.createdAt } }, { _id: { $lt: after.id } }] };
      // An area is a range of names: `key.` up to, and without, what follows the dot.
      const named =
        action === undefined
          ? {}
          : { action: action.includes('.') ? action : { $gte: `${action}.`, $lt: `${action}/` } };
      const rows = await audit
        .find({ organizationId, ...named, ...older })
        .sort({ at: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return rows.map(({ _id: id, ...row }) => ({ ...row, id }));
    },
  };
}
