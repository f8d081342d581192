import type { Collections } from '#src/adapters/database/collections.ts';
import { newId } from '#src/domain/ids.ts';
import type { AuditLog } from '#src/domain/ports/audit-log.ts';

export function createAuditLog({ audit }: Pick<Collections, 'audit'>): AuditLog {
  return {
    async record(entry) {
      const at = new Date();
      await audit.insertOne({ ...entry, _id: newId('event', at), at });
    },
  };
}
