import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorCodes } from '#src/contracts/error-codes.ts';
import { problemType } from '#src/contracts/resources/problem.ts';
import { newId } from '#src/domain/ids.ts';
import { AppError } from '#src/domain/app-error.ts';
import { networkOf, type Trusts } from '#http/guard/address.ts';
import type { LimitKind, LimitLog } from '#http/guard/limit-log.ts';

export interface ConnectionRules {
  /** Open connections of all servers together. */
  readonly most: number;
  /** Open connections of one address. 0: no limit. Trusted proxies have none. */
  readonly perAddress: number;
  readonly trusts: Trusts;
  readonly log: LimitLog;
}

type Excess = Extract<LimitKind, 'connections' | 'connections of an address'>;

/** Time that a connection over the limit has to send a request, so that it gets a response. */
const excessMs = 2_000;
const retryAfterSeconds = 5;
const tooMany = 'Too many connections are open. Retry in a few seconds.';

/** The response to a connection that is not waited for. Source: RFC 9457, RFC 9112 §9.6. */
function unreadResponse(): string {
  const { status, title } = errorCodes['service.unavailable'];
  const body = JSON.stringify({
    type: problemType('service.unavailable'),
    title,
    status,
    detail: tooMany,
    instance: '',
    code: 'service.unavailable',
    requestId: newId('request'),
  });
  const head = [
    `HTTP/1.1 ${status} Service Unavailable`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `retry-after: ${retryAfterSeconds}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Bounds the open connections of this process. A connection over the limit is accepted for one request, which gets 503 or 429. Beyond
 * half as many again, a connection gets 503 before it asks, and its file descriptor is free at once. Source: docs/decisions/0070.
 */
export class Connections {
  readonly #rules: ConnectionRules;
  readonly #servers = new Set<Server>();
  readonly #open = new Map<string, number>();
  readonly #excess = new WeakMap<Socket, Excess>();
  #count = 0;

  constructor(rules: ConnectionRules) {
    this.#rules = rules;
  }

  /** Open connections now. */
  get count(): number {
    return this.#count;
  }

  attach(server: Server): void {
    const { most, log } = this.#rules;
    this.#servers.add(server);
    server.maxConnections = most * 2;
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
    server.on('drop', () => log.hit('connections', { most, dropped: true }));
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.syscall === 'accept') log.hit('file descriptors', { err: error });
    });
    server.once('close', () => this.#servers.delete(server));
  }

  #opened(socket: Socket): void {
    const { most, perAddress, trusts, log } = this.#rules;
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const ofAddress = (this.#open.get(network) ?? 0) + 1;
    this.#open.set(network, ofAddress);
    this.#count += 1;
    socket.once('close', () => {
      this.#count -= 1;
      const left = (this.#open.get(network) ?? 1) - 1;
      if (left === 0) this.#open.delete(network);
      else this.#open.set(network, left);
    });
    const overAddress = perAddress > 0 && ofAddress > perAddress && !trusts(address);
    if (!overAddress && this.#count <= most) return;
    const kind: Excess = overAddress ? 'connections of an address' : 'connections';
    this.#excess.set(socket, kind);
    log.hit(kind, overAddress ? { address, most: perAddress } : { most });
    if (this.#count > most * 1.5) {
      socket.write(unreadResponse());
      socket.destroySoon();
    } else if (overAddress && ofAddress > perAddress * 1.5) socket.destroy();
    else setTimeout(() => socket.destroy(), excessMs).unref();
    // Idle connections of clients that come back later make room first.
    if (!overAddress) for (const server of this.#servers) server.closeIdleConnections();
  }

  /** Refuses the request of a connection over the limit, and closes it. Errors: `service.unavailable`, `request.rate_limited`. */
  check(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const kind = this.#excess.get(socket);
    if (kind === undefined) return;
    // Not `Connection: close`: closing before the body has arrived would reset the connection, and the response with it.
    response.once('finish', () => {
      if (request.complete) socket.destroySoon();
      else request.once('end', () => socket.destroySoon()).resume();
    });
    if (kind === 'connections')
      throw new AppError('service.unavailable', tooMany, { retryAfterSeconds, isLogged: true });
    throw new AppError(
      'request.rate_limited',
      `One address may have ${this.#rules.perAddress} connections open. Close some and retry.`,
      { retryAfterSeconds },
    );
  }
}
