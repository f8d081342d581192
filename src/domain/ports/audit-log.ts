import type { ListPosition } from '#src/domain/ports/documents.ts';

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

export interface AuditRow extends AuditEntry {
  readonly id: string;
  readonly at: Date;
}

/** Append-only record of what matters for security. Source: identity.md "Audit". */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first; `action` is one, or an area such as `key`. */
  list(
    organizationId: string,
    filter: { readonly action?: string },
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly AuditRow[]>;
}
