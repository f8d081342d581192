import type { Socket } from 'node:net';
import { checkHeaders, exchange } from '#src/adapters/outbound/exchange.ts';
import { checkedLookup, openConnection, refusal, type Network } from '#src/adapters/outbound/connect.ts';
import { readTarget, type Policy, type Target } from '#src/adapters/outbound/target.ts';
import { orAbort, startDeadline } from '#src/adapters/threads/deadline.ts';
import { unboundSecret } from '#src/domain/access/secret-hosts.ts';
import { AppError } from '#src/domain/app-error.ts';
import {
  UnreachableError,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
} from '#src/domain/ports/outbound.ts';

export interface OutboundOptions extends Policy, Network {
  /** Timeout for connection and TLS, within that of the request. Default: 10,000. */
  readonly connectMs?: number;
  /** Timeout from then until the response begins. Default: 60,000. */
  readonly headersMs?: number;
}

const late = (what: string, ms: number) => (): AppError =>
  new UnreachableError(`The outside service ${what} within ${ms} ms.`, { reason: 'timed_out' });

/** Reports the code of a socket or TLS error, never an address. */
function failure(error: unknown, isConnected: boolean): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'broken off';
  const detail = `The outside service could not be reached or broke off (${code}).`;
  const more = { cause: error, reason: 'unreachable' } as const;
  return isConnected ? new AppError('outbound.failed', detail, more) : new UnreachableError(detail, more);
}

async function connected(options: OutboundOptions, target: Target, whole: AbortSignal): Promise<Socket> {
  const ms = options.connectMs ?? 10_000;
  using limit = startDeadline(ms, whole, late('was not reached', ms));
  const { signal } = limit;
  // A lookup cannot be stopped; its late result is ignored.
  if (!target.isAddress) await orAbort(checkedLookup(options, target, options.resolve), signal);
  try {
    return await openConnection(options, target, options, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : failure(error, false);
  }
}

/** Calls addresses that users name; see the port. Every call has its own connection, so that every peer is checked. */
export function createOutbound(options: OutboundOptions): Outbound {
  const attempt = async (target: Target, request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> => {
    const socket = await connected(options, target, signal);
    const ms = options.headersMs ?? 60_000;
    const timer = setTimeout(() => socket.destroy(late('did not begin to answer', ms)()), ms);
    try {
      return await exchange(socket, target, request, () => clearTimeout(timer));
    } finally {
      clearTimeout(timer);
      socket.destroy();
    }
  };
  return {
    async send(request) {
      const target = readTarget(options, request.url);
      if ('refused' in target) throw refusal(target.refused);
      const unbound = unboundSecret(request.secrets ?? [], target);
      if (unbound !== null)
        throw new AppError('secret.unbound', `${unbound.message} Nothing was sent. ${unbound.hint}`);
      checkHeaders(request.headers);
      const ms = request.timeoutMs;
      using whole = startDeadline(ms, request.signal, late('did not answer completely', ms));
      try {
        return await attempt(target, request, whole.signal);
      } catch (error) {
        throw whole.signal.aborted ? whole.signal.reason : failure(error, true);
      }
    },
    refuses(url) {
      const target = readTarget(options, url);
      return 'refused' in target ? target.refused : null;
    },
  };
}
