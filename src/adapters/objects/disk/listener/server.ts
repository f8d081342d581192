import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { AppError } from '#src/domain/app-error.ts';

import { isObjectKey } from '../../key.ts';

import { parseAddress, pathPrefix, verifyAddress } from '../address.ts';
import { longestMs, SenderGoneError } from './body.ts';
import { sendObject } from './download.ts';
import { systemCode } from '../files.ts';
import { commonHeaders, rawProblem, ObjectResponseError, requestIdOf, sendProblem, toAppError } from './problem.ts';
import { receiveUpload, type UploadRules } from './upload.ts';

export interface ListenerRules extends UploadRules {
  readonly secret: Buffer;
  readonly clock: () => Date;
  /** Told of failures that are not the client's; for the log. */
  readonly onError: (error: unknown, requestId: string) => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Set for `Expect: 100-continue`: sends the interim answer that asks for the body. */
  readonly invite?: () => void;
}

const methods = { PUT: ['PUT', 'OPTIONS'], GET: ['GET', 'HEAD', 'OPTIONS'] } as const;

function refuseMethod(allowed: readonly string[]): never {
  const allow = allowed.join(', ');
  throw new ObjectResponseError(new AppError('request.method_not_allowed', `This address takes ${allow}.`), { allow });
}

/** For browser uploads. The signature in the address is the only credential, so any origin may ask. */
function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    'access-control-allow-methods': 'PUT, GET, HEAD',
    'access-control-allow-headers': 'content-type, if-none-match, if-range, range, x-request-id',
    'access-control-max-age': '600',
  });
  response.end();
}

async function route(exchange: Exchange, rules: ListenerRules): Promise<void> {
  const { request, response } = exchange;
  const [path = '', ...query] = (request.url ?? '').split('?');
  if (!path.startsWith(pathPrefix)) throw new AppError('request.not_found', 'Objects live under /o/.');
  const key = path.slice(pathPrefix.length);
  if (!isObjectKey(key)) throw new AppError('object.not_found', 'No object is stored under this key.');
  const method = request.method ?? '';
  if (method === 'OPTIONS') return answerPreflight(response);
  const address = parseAddress(key, query.join('?'), method);
  const allowed: readonly string[] = methods[address.grant];
  if (!allowed.includes(method)) refuseMethod(allowed);
  const expires = verifyAddress(rules.secret, address, rules.clock());
  if (address.grant === 'PUT') {
    const proceed = exchange.invite ?? (() => undefined);
    return receiveUpload({ request, response, proceed }, address, rules);
  }
  const lifetimeMs = expires.getTime() - rules.clock().getTime();
  return sendObject({ request, response }, address, { folders: rules.folders, lifetimeMs });
}

/**
 * A refused body of acceptable size is read to its end and dropped, so that a client in the middle of sending sees the
 * answer instead of a reset. Otherwise the connection ends: the rest is slow, unbounded, or may never come.
 */
function mustClose(exchange: Exchange, fault: AppError, maxBytes: number): boolean {
  const { headers } = exchange.request;
  if (exchange.invite !== undefined || headers['transfer-encoding'] !== undefined) return true;
  return fault.code === 'request.timeout' || Number(headers['content-length'] ?? 0) > maxBytes;
}

function answerFailure(exchange: Exchange, error: unknown, rules: ListenerRules, requestId: string): void {
  const { request, response } = exchange;
  if (error instanceof SenderGoneError || response.destroyed) return;
  const fault = toAppError(error);
  if (fault.row.status >= 500) rules.onError(error, requestId);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) if (!(name in commonHeaders)) response.removeHeader(name);
  for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
  response.setHeader('x-request-id', requestId);
  if (mustClose(exchange, fault, rules.maxBytes)) response.setHeader('connection', 'close');
  sendProblem(response, fault, { instance: (request.url ?? '/').split('?')[0] ?? '/', requestId });
}

async function handle(exchange: Exchange, rules: ListenerRules): Promise<void> {
  const requestId = requestIdOf(exchange.request);
  for (const [name, value] of Object.entries(commonHeaders)) exchange.response.setHeader(name, value);
  exchange.response.setHeader('x-request-id', requestId);
  try {
    await route(exchange, rules);
  } catch (error) {
    answerFailure(exchange, error, rules, requestId);
  }
}

/**
 * What the parser refuses: Content-Length with Transfer-Encoding, two lengths, bytes past the body, oversized headers.
 * Bytes of an answer already on their way are cut, never mixed with this one.
 */
function answerUnparsable(error: Error, socket: Socket, underway: ServerResponse | undefined): void {
  const answering = underway !== undefined && underway.headersSent && !underway.writableFinished;
  if (!socket.writable || answering || systemCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const late = systemCode(error) === 'ERR_HTTP_REQUEST_TIMEOUT';
  const fault = late
    ? new AppError('request.timeout', 'The request came too slowly. Send it again.')
    : new AppError('request.malformed', 'The request is not valid HTTP/1.1.');
  socket.end(rawProblem(fault));
}

/** The HTTP server of signed addresses, not yet listening. */
export function createListener(rules: ListenerRules): Server {
  const longest = longestMs(rules.pace, rules.maxBytes) + rules.pace.idleMs;
  const options = { insecureHTTPParser: false, requestTimeout: longest, headersTimeout: Math.min(20_000, longest) };
  const underway = new WeakMap<Socket, ServerResponse>();
  const begin = (exchange: Exchange): void => {
    underway.set(exchange.request.socket, exchange.response);
    exchange.response.once('close', () => {
      if (!server.listening) server.closeIdleConnections();
    });
    void handle(exchange, rules);
  };
  const server = createServer(options, (request, response) => begin({ request, response }));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    begin({ request, response, invite: () => response.writeContinue() });
  });
  server.on('clientError', (error, socket) => {
    answerUnparsable(error, socket as Socket, underway.get(socket as Socket));
  });
  // Ends readers that stop reading; a silent sender is answered earlier, by its body's own timer.
  server.setTimeout(Math.max(60_000, 2 * rules.pace.idleMs));
  return server;
}

/** Resolves with the port bound; rejects with the system's own error (`EADDRINUSE`, `EACCES`). */
export function startListening(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen({ host, port }, () => {
    server.off('error', reject);
    resolve((server.address() as AddressInfo).port);
  });
  return promise;
}

/** Takes no new connections, lets exchanges under way finish for `graceMs`, then cuts them. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await promise;
  clearTimeout(cut);
}
