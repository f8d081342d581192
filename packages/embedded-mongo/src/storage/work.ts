/** Counts what the engine has changed and synced since it started. Work of commands that were rolled back counts too. */
export class Work {
  /** Documents of collections. */
  readonly rows = { inserted: 0, updated: 0, deleted: 0 };
  /** Entries of their indexes. */
  readonly entries = { inserted: 0, deleted: 0 };
  /** All rows that SQLite changed: documents, entries, postings of searches, replies to retryable writes, the catalog. */
  changes = 0;
  /** Bytes of the values that came with those changes. */
  bytes = 0;
  commits = 0;
  syncs = 0;

  /** `params`: the values of a statement that changed `rows`. */
  changed(rows: number, params: readonly (number | string | Uint8Array | null)[]): void {
    this.changes += rows;
    for (const value of params)
      this.bytes += typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 8;
  }
}
