import type { Collections } from '#src/adapters/database/collections.ts';
import { processSafe } from '#src/adapters/database/connect.ts';
import { Batcher } from '#src/domain/batcher.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { CachedOutcome, NodeCache } from '#src/domain/ports/node-cache.ts';

/** `_id` is `<projectId>:<key>`. */
export interface NodeCacheRow {
  readonly _id: string;
  readonly organizationId: string;
  /** What goes with its document, goes with it from here, too. */
  readonly documentId: string;
  /** JSON text: members may have any name. */
  readonly outcome: string;
  readonly forgetAt: Date;
}

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
