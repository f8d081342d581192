import type { Collections, NodeCacheRow } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';

export interface CachedOutcome {
  readonly update: Readonly<Record<string, unknown>>;
  readonly modelLabel: string | null;
  readonly usage: ModelUsage | null;
  /** The run that did the work. */
  readonly runId: string;
}

const maxBytes = 64 * 1024;
const keptMs = 30 * 86_400_000;

/** Outcomes over 64 KiB of JSON are not kept, others for 30 days. `idle` settles when everything put so far is written. */
export function createNodeCache({ nodeCache }: Pick<Collections, 'nodeCache'>, logger: Logger) {
  const batcher = new Batcher<NodeCacheRow>(async (rows) => {
    const operations = rows.map((row) => ({
      replaceOne: { filter: { _id: row._id, organizationId: row.organizationId }, replacement: row, upsert: true },
    }));
    await nodeCache.bulkWrite(operations, { ordered: false, ...processSafe });
  });
  return {
    async get(organizationId: string, projectId: string, key: string): Promise<CachedOutcome | null> {
      const row = await nodeCache.findOne({ _id: `${projectId}:${key}`, organizationId });
      return row === null ? null : (JSON.parse(row.outcome) as CachedOutcome);
    },
    /** Nobody waits for it; a failure is logged. */
    put(
      { organizationId, projectId, documentId }: { organizationId: string; projectId: string; documentId: string },
      key: string,
      outcome: CachedOutcome,
    ): void {
      const text = JSON.stringify(outcome);
      if (Buffer.byteLength(text) > maxBytes) return;
      const forgetAt = new Date(Date.now() + keptMs);
      const row = { _id: `${projectId}:${key}`, organizationId, documentId, outcome: text, forgetAt };
      batcher.add(row, 5).catch((error: unknown) => {
        logger.warn({ err: error, documentId }, 'outcome of a node could not be cached');
      });
    },
    idle: () => batcher.idle(),
  };
}

/**
 * Outcomes of pure nodes, by project and key. A cache: an entry may be gone at any time. Source: docs/decisions/0030.
 */
export type NodeCache = ReturnType<typeof createNodeCache>;
