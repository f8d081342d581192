export interface AuditEntry {
  readonly organizationId: string;
  /** Key or user that did it, or `cli`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Append-only record of what matters for security. Source: identity.md "Audit". */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
}
