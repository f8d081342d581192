import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { addressOf, networkOf, type Trusts } from '#http/guard/address.ts';
import type { Connections } from '#http/guard/connections.ts';
import type { LimitKind, LimitLog } from '#http/guard/limit-log.ts';
import { Pace } from '#http/guard/pace.ts';
import { FloodError, RateLimiter } from '#http/guard/rate-limit.ts';
import { ofStrangers, Turns } from '#http/guard/turns.ts';

/** Called when a request has shown a valid credential. `caller` names its holder; absent for a signed address. */
export type Welcome = (caller?: string) => void;

interface StrangerParts {
  readonly trusts: Trusts;
  /** Requests per second of one address; null or 0: no limit. */
  readonly perSecond: number | null;
  readonly connections: Connections | null;
  readonly log: LimitLog;
}

const windowSeconds = 2;
/** Credentials that are remembered, and for how long. */
const rememberedCredentials = 10_000;
const rememberedMs = 600_000;
/** Time that a refusal of a flood is held back, and the number of those that are. */
const heldMs = 1_000;
const mostHeld = 1_000;
/** Time between two of them. */
const betweenHeldMs = 10;

function credentialOf({ headers }: IncomingMessage): string | null {
  const { authorization, cookie } = headers;
  const key = headers['x-api-key'];
  const given = typeof key === 'string' ? key : (authorization ?? cookie);
  return given === undefined ? null : hash('sha256', given, 'base64');
}

/**
 * Limits the requests of one address before anything of them is read. Requests that show a valid credential are not counted: they have
 * the limit of their key or session. A credential that was valid before has a count of its own, so that a flood does not stop callers
 * behind the same address. Source: docs/decisions/0070.
 */
export class Strangers {
  readonly #parts: StrangerParts;
  /** Counts of addresses, and of holders whose credential is still being looked up. */
  readonly #limiters: { readonly strangers: RateLimiter; readonly known: RateLimiter } | null;
  /** Holder of each credential that was valid lately, by the hash of its header. */
  readonly #known = new LRUCache<string, string>({
    maxSize: rememberedCredentials,
    sizeCalculation: () => 1,
    ttl: rememberedMs,
  });
  /** Refusals of callers that flood, by holder and by the hash of the header, until their window is over. */
  readonly #floods = new LRUCache<string, FloodError>({ maxSize: rememberedCredentials, sizeCalculation: () => 1 });
  readonly #turns = new Turns();
  /** Connections with a refusal that is held back. */
  readonly #held = new Set<Socket>();
  readonly #pace = new Pace(betweenHeldMs);

  constructor(parts: StrangerParts) {
    this.#parts = parts;
    const requests = (parts.perSecond ?? 0) * windowSeconds;
    const { log } = parts;
    const limiter = (kind: LimitKind) => new RateLimiter({ requests, seconds: windowSeconds }, { kind, log });
    this.#limiters =
      requests === 0
        ? null
        : { strangers: limiter('requests without a credential'), known: limiter('requests of a caller') };
  }

  /**
   * Counts one request. `isSigned`: its credential is its address, which nobody has checked yet; many of one address may share a sync of the
   * disk. Errors: `request.rate_limited`; `service.unavailable` when too many connections are open.
   */
  async admit(request: IncomingMessage, response: ServerResponse, isSigned = false): Promise<Welcome> {
    this.#parts.connections?.check(request, response);
    const limiters = this.#limiters;
    if (limiters === null) return () => undefined;
    const credential = credentialOf(request);
    const holder = credential === null ? undefined : this.#known.get(credential);
    const limiter = holder === undefined ? limiters.strangers : limiters.known;
    const counted = holder ?? networkOf(addressOf(request, this.#parts.trusts));
    const refusal = (credential === null ? undefined : this.#floods.get(credential)) ?? this.#floods.get(counted);
    if (refusal !== undefined) throw await this.#heldBack(refusal, request, response);
    // Order matters: a request that waits for its turn does not count yet, since its count may be given back.
    const rules = holder === undefined && !isSigned ? ofStrangers : undefined;
    const endTurn = await this.#turns.take(counted, response, rules);
    try {
      await limiter.take(counted, null);
    } catch (error) {
      // Counts of an address are given back to those that turn out to have a credential.
      if (holder !== undefined) this.#refuseFlood(counted, error);
      if (!(error instanceof FloodError)) throw error;
      endTurn();
      throw await this.#heldBack(error, request, response);
    }
    let isCounted = true;
    return (caller) => {
      if (credential !== null && caller !== undefined) this.#known.set(credential, `caller ${caller}`);
      if (isCounted) void limiter.giveBack(counted);
      isCounted = false;
    };
  }

  #refuseFlood(counted: string, error: unknown): void {
    if (error instanceof FloodError) this.#floods.set(counted, error, { ttl: Math.max(1, error.leftMs) });
  }

  async #heldBack(refusal: FloodError, request: IncomingMessage, response: ServerResponse): Promise<FloodError> {
    await this.#hold(request, response, Math.min(heldMs, refusal.leftMs));
    return refusal.again();
  }

  /** Holds a refusal back: a caller that does not wait by itself cannot ask as fast as refusals are made. */
  async #hold({ socket }: IncomingMessage, response: ServerResponse, leastMs: number): Promise<void> {
    // A second request before the response to the first one would use memory without a bound.
    if (this.#held.has(socket)) socket.destroy();
    else if (this.#held.size < mostHeld) {
      this.#held.add(socket);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, this.#pace.take(performance.now(), leastMs));
      response.once('close', resolve);
      await promise;
      response.off('close', resolve);
      clearTimeout(timer);
      this.#held.delete(socket);
    }
  }

  /** Mount it before everything that reads a request. */
  readonly handler: RequestHandler = async (request, response, next) => {
    response.locals['welcome'] = await this.admit(request, response);
    if (this.#limiters !== null) response.locals['hold'] = () => this.#hold(request, response, heldMs);
    const credential = credentialOf(request);
    if (credential !== null) response.locals['flooded'] = (error: unknown) => this.#refuseFlood(credential, error);
    next();
  };
}

/** Tells the limit by address and the log that the request has a valid credential. `caller` names its holder; absent for a signed address. */
export function welcome(response: Response, caller?: string): void {
  if (caller !== undefined) response.locals['caller'] = caller;
  const known = response.locals['welcome'] as Welcome | undefined;
  known?.(caller);
}

/** Tells the limit by address that the holder of the request's credential was refused: one that floods is refused by its header from now on. */
export function refused(response: Response, error: unknown): void {
  const flooded = response.locals['flooded'] as ((error: unknown) => void) | undefined;
  flooded?.(error);
}

/** Resolves when a refusal may leave that a later guard has made, such as that of a sign-in. */
export async function heldBack(response: Response): Promise<void> {
  const hold = response.locals['hold'] as (() => Promise<void>) | undefined;
  await hold?.();
}
