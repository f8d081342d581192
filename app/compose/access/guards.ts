import { readFileSync } from 'node:fs';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { trustOf } from '#http/guard/address.ts';
import { Connections } from '#http/guard/connections.ts';
import { LimitLog } from '#http/guard/limit-log.ts';
import type { SharedCounts } from '#http/guard/counts/counted-window.ts';
import { createRateLimiters, type RateLimiters } from '#http/guard/rate-limit.ts';
import { Strangers } from '#http/guard/strangers.ts';

export interface Guards {
  readonly log: LimitLog;
  /** null: rate limits are off. Each key has one rate budget for all services. */
  readonly limiters: RateLimiters | null;
  readonly strangers: Strangers;
  readonly connections: Connections;
}

/** Descriptors for everything but connections: libraries, database, worker threads. */
const ownDescriptors = 96;

/** Limit of open files of this process; null where the system does not say. Node raises the soft limit to the hard one. */
function openFilesMax(): number | null {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line === null ? null : Number(line[1]);
  } catch {
    // Not Linux.
    return null;
  }
}

/** Connections that `files` open files allow: a connection may need another file, and those over the limit need one for a moment. */
export function connectionsFor(files: number | null, wanted: number): number {
  if (files === null) return wanted;
  return Math.min(wanted, Math.max(10, Math.floor((files - ownDescriptors) / 2.5)));
}

export function createGuards(
  { rateLimits, connections, trustedProxies }: Config,
  logger: Logger,
  shared: SharedCounts | null,
): Guards {
  const log = new LimitLog(logger);
  const trusts = trustOf(trustedProxies);
  const most = connectionsFor(openFilesMax(), connections.most);
  if (most < connections.most)
    logger.warn(
      { connections: most, wanted: connections.most },
      'the limit of open files (ulimit -n) allows fewer connections',
    );
  const bounds = new Connections({ most, perAddress: connections.perAddress, trusts, log });
  return {
    log,
    limiters: rateLimits === null ? null : createRateLimiters(rateLimits, { log, shared }),
    strangers: new Strangers({ trusts, perSecond: rateLimits?.address ?? null, connections: bounds, log }),
    connections: bounds,
  };
}
