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

/** Owner of the outcomes of a run. */
interface Place {
  readonly organizationId: string;
  readonly projectId: string;
  readonly documentId: string;
}

interface Kept {
  readonly place: Place;
  /** Project and key. */
  readonly id: string;
  readonly outcome: string;
}

/** Limit on one outcome, and on all of a row. */
const maxBytes = 64 * 1024;
const mostOfRow = 16;
const dayMs = 86_400_000;

/** Outcomes that go and come together: of one document, and of one space of keys, as experiments have their own (`x:`). */
const rowOf = ({ place, id }: Kept): string =>
  JSON.stringify([place.organizationId, place.documentId, id.slice(0, id.lastIndexOf(':'))]);

/** Parts of a list that fit into a row each. */
function inRows(all: readonly Kept[]): Kept[][] {
  const rows: Kept[][] = [];
  let bytes = 0;
  for (const one of all) {
    const size = Buffer.byteLength(one.outcome);
    const last = rows.at(-1);
    bytes += size;
    if (last !== undefined && last.length < mostOfRow && bytes <= maxBytes) last.push(one);
    else {
      rows.push([one]);
      bytes = size;
    }
  }
  return rows;
}

/** The outcomes as rows. The first one has the place that older programs read. */
function rowsOf(all: readonly Kept[], forgetAt: Date): NodeCacheRow[] {
  // The later of two outcomes under one key counts.
  const latest = [...new Map(all.map((one) => [`${one.place.organizationId} ${one.id}`, one])).values()];
  return [...Map.groupBy(latest, rowOf).values()].flatMap(inRows).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { organizationId, documentId } = first.place;
    const more = others.map(({ id, outcome }) => ({ id, outcome }));
    const row = { _id: first.id, organizationId, documentId, outcome: first.outcome, forgetAt };
    return [more.length === 0 ? row : { ...row, others: more }];
  });
}

/**
 * Keeps outcomes for `days`, except those over 64 KiB of JSON. Those that arrive within `lingerMs` share a row; `idle` settles when everything
 * put so far is written.
 */
export function createNodeCache(
  { nodeCache }: Pick<Collections, 'nodeCache'>,
  logger: Logger,
  { days = 30, lingerMs = 100 }: { readonly days?: number; readonly lingerMs?: number | undefined } = {},
) {
  const waiting = new Map<string, Kept>();
  const batcher = new Batcher<Kept>(async (all) => {
    const operations = rowsOf(all, new Date(Date.now() + days * dayMs)).map((row) => ({
      replaceOne: { filter: { _id: row._id, organizationId: row.organizationId }, replacement: row, upsert: true },
    }));
    await nodeCache.bulkWrite(operations, { ordered: false, ...processSafe });
  });
  const stored = async (organizationId: string, id: string): Promise<string | null> => {
    const places = [{ _id: id }, { 'others.id': id }].map((place) => ({ ...place, organizationId }));
    const found = await nodeCache.find({ organizationId, $or: places }).toArray();
    // Runs that were at work at the same time may have stored it twice.
    const [row] = found.toSorted((one, other) => other.forgetAt.getTime() - one.forgetAt.getTime());
    if (row === undefined) return null;
    return row._id === id ? row.outcome : (row.others?.find((one) => one.id === id)?.outcome ?? null);
  };
  return {
    async get(organizationId: string, projectId: string, key: string): Promise<CachedOutcome | null> {
      const id = `${projectId}:${key}`;
      const ofProcess = waiting.get(`${organizationId} ${id}`);
      const outcome = ofProcess === undefined ? await stored(organizationId, id) : ofProcess.outcome;
      return outcome === null ? null : (JSON.parse(outcome) as CachedOutcome);
    },
    /** Returns before the write. Failures are logged. */
    put(place: Place, key: string, outcome: CachedOutcome): void {
      const text = JSON.stringify(outcome);
      if (Buffer.byteLength(text) > maxBytes) return;
      const kept = { place, id: `${place.projectId}:${key}`, outcome: text };
      const name = `${place.organizationId} ${kept.id}`;
      waiting.set(name, kept);
      batcher
        .add(kept, lingerMs)
        .catch((error: unknown) => {
          logger.warn({ err: error, documentId: place.documentId }, 'outcome of a node could not be cached');
        })
        .finally(() => {
          if (waiting.get(name) === kept) waiting.delete(name);
        });
    },
    idle: () => batcher.idle(),
  };
}

/** Caches outcomes of pure nodes, by project and key. An entry may disappear at any time. Source: docs/decisions/0030. */
export type NodeCache = ReturnType<typeof createNodeCache>;
