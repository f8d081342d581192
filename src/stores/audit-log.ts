import type { Collections } from '#src/stores/collections.ts';
import { newId } from '#src/domain/ids.ts';
import type { ListPosition } from '#src/domain/cursor.ts';

export interface AuditEntry {
  readonly organizationId: string;
  /** Id of the key or user, or `cli`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** IP address of the caller. null when there is none. */
  readonly ip?: string | null;
}

/** An entry as stored. */
export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly at: Date;
}

export function createAuditLog({ audit }: Pick<Collections, 'audit'>) {
  return {
    async record(entry: AuditEntry): Promise<void> {
      const at = new Date();
      await audit.insertOne({ ...entry, _id: newId('event', at), at });
    },
    /** Lists newest first. `action` is one action, or an area such as `key`. */
    async list(
      organizationId: string,
      { action }: { readonly action?: string },
      after: ListPosition | null,
      limit: number,
    ): Promise<readonly AuditRecord[]> {
      const older =
        after === null
          ? {}
          : { at: { $lte: after.createdAt }, $or: [{ at: { $lt: after.createdAt } }, { _id: { $lt: after.id } }] };
      // An area is a range of names: from `key.` up to, but not including, `key/`.
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

/** Append-only log of security-relevant actions. Source: docs/decisions/0035. */
export type AuditLog = ReturnType<typeof createAuditLog>;
