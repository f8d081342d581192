import type { ModelUsage } from '#src/domain/ports/models.ts';

export interface CachedOutcome {
  readonly update: Readonly<Record<string, unknown>>;
  readonly modelLabel: string | null;
  readonly usage: ModelUsage | null;
  /** The run that did the work. */
  readonly runId: string;
}

/**
 * Outcomes of pure nodes, by project and key. A cache: an entry may be gone at any time. Source: graphs.md "Node cache".
 */
export interface NodeCache {
  get(organizationId: string, projectId: string, key: string): Promise<CachedOutcome | null>;
  /** Nobody waits for it; a failure is logged. */
  put(
    place: { organizationId: string; projectId: string; documentId: string },
    key: string,
    outcome: CachedOutcome,
  ): void;
}
