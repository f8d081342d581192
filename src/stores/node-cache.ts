import type { Collections, NodeCacheRow } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { ModelUsage } from '#src/domain/ports/models.ts';

export interface CachedOutcome {
  readonly update: Readonly<Record<string, unknown>>;
  readonly modelLabel: string | null;
  readonly usage: ModelUsage | null;
  /** Id of the run that did the work. */
  readonly runId: string;
}

const maxBytes = 64 * 1024;
const dayMs = 86_400_000;

/** Keeps outcomes for `days`, except those over 64 KiB of JSON. `idle` settles when everything put so far is written. */
export function createNodeCache(
  { nodeCache }: Pick<Collections, 'nodeCache'>,
  logger: Logger,
  { days = 30 }: { readonly days?: number } = {},
) {
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
    /** Returns before the write. Failures are logged. */
    put(
      { organizationId, projectId, documentId }: { organizationId: string; projectId: string; documentId: string },
      key: string,
      outcome: CachedOutcome,
    ): void {
      const text = JSON.stringify(outcome);
      if (Buffer.byteLength(text) > maxBytes) return;
      const forgetAt = new Date(Date.now() + days * dayMs);
      const row = { _id: `${projectId}:${key}`, organizationId, documentId, outcome: text, forgetAt };
      batcher.add(row, 5).catch((error: unknown) => {
        logger.warn({ err: error, documentId }, 'outcome of a node could not be cached');
      });
    },
    idle: () => batcher.idle(),
  };
}

/** Caches outcomes of pure nodes, by project and key. An entry may disappear at any time. Source: docs/decisions/0030. */
export type NodeCache = ReturnType<typeof createNodeCache>;
