import type { Collections } from '#src/stores/collections.ts';
import { newId } from '#src/domain/ids.ts';
import type { ListPosition } from '#src/domain/cursor.ts';

export interface AuditEntry {
  readonly organizationId: string;
  /** Key or user that did it, or `cli`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Address of the caller; null where there is none. */
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
    /** Newest first; `action` is one, or an area such as `key`. */
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

/** Append-only record of what matters for security. Source: docs/decisions/0035. */
export type AuditLog = ReturnType<typeof createAuditLog>;
