import type { Collections, NodeCacheRow } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { CachedOutcome, NodeCache } from '#src/domain/ports/node-cache.ts';

const maxBytes = 64 * 1024;
const keptMs = 30 * 86_400_000;

/** Outcomes over 64 KiB of JSON are not kept, others for 30 days. `idle` settles when everything put so far is written. */
export function createNodeCache(
  { nodeCache }: Pick<Collections, 'nodeCache'>,
  logger: Logger,
): NodeCache & { idle(): Promise<void> } {
  const batcher = new Batcher<NodeCacheRow>(async (rows) => {
    const operations = rows.map((row) => ({
      replaceOne: { filter: { _id: row._id, organizationId: row.organizationId }, replacement: row, upsert: true },
    }));
    await nodeCache.bulkWrite(operations, { ordered: false, ...processSafe });
  });
  return {
    async get(organizationId, projectId, key) {
      const row = await nodeCache.findOne({ _id: `${projectId}:${key}`, organizationId });
      return row === null ? null : (JSON.parse(row.outcome) as CachedOutcome);
    },
    put({ organizationId, projectId, documentId }, key, outcome) {
      const text = JSON.stringify(outcome);
      if (Buffer.byteLength(text) > maxBytes) return;
      const forgetAt = new Date(Date.now() + keptMs);
      const row = { _id: `${projectId}:${key}`, organizationId, documentId, outcome: text, forgetAt };
      batcher.add(row, 5).catch((error: unknown) => {
        logger.warn({ err: error, documentId }, 'outcome of a node was not kept');
      });
    },
    idle: () => batcher.idle(),
  };
}
