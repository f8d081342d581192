/** A project secret as told: never its value. */
export interface SecretInfo {
  readonly name: string;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/**
 * Project secrets, encrypted at rest (AES-256-GCM). Names: `[A-Z][A-Z0-9_]{0,63}`. Only nodes of runs read values.
 * Source: identity.md "Project secrets".
 */
export interface SecretStore {
  /** Adds or replaces. */
  set(place: { organizationId: string; projectId: string }, name: string, value: string, by: string): Promise<void>;
  list(organizationId: string, projectId: string): Promise<readonly SecretInfo[]>;
  delete(organizationId: string, projectId: string, name: string): Promise<boolean>;
  /** Values by name; names that do not exist are left out. */
  reveal(organizationId: string, projectId: string, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
