import type { KeyObject } from 'node:crypto';
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

/** Limits for callers without a valid address. */
export interface ListenerGate {
  attach(server: Server): void;
  /** Counts a request before anything of it is read. Returns the function that takes the count back. Throws AppError. */
  admit(request: IncomingMessage, response: ServerResponse): Promise<() => void>;
}

export interface ListenerRules extends UploadRules {
  readonly secret: KeyObject;
  readonly clock: () => Date;
  /** null: no limits. */
  readonly gate: () => ListenerGate | null;
  /** Called for failures of the server, for the log. */
  readonly onError: (error: unknown, requestId: string) => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Set for `Expect: 100-continue`: sends the interim response that asks for the body. */
  readonly invite?: () => void;
}

const methods = { PUT: ['PUT', 'OPTIONS'], GET: ['GET', 'HEAD', 'OPTIONS'] } as const;

function refuseMethod(allowed: readonly string[]): never {
  const allow = allowed.join(', ');
  throw new ObjectResponseError(new AppError('request.method_not_allowed', `This address accepts ${allow} only.`), {
    allow,
  });
}

/** CORS for uploads from browsers. The signature in the address is the only credential, so any origin is allowed. */
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
  const welcome = await rules.gate()?.admit(request, response);
  const [path = '', ...query] = (request.url ?? '').split('?');
  if (!path.startsWith(pathPrefix))
    throw new AppError('request.not_found', 'Nothing is served at this path. Objects are under /o/.');
  const key = path.slice(pathPrefix.length);
  if (!isObjectKey(key)) throw new AppError('object.not_found', 'No object is stored under this key.');
  const method = request.method ?? '';
  if (method === 'OPTIONS') return answerPreflight(response);
  const address = parseAddress(key, query.join('?'), method);
  const allowed: readonly string[] = methods[address.grant];
  if (!allowed.includes(method)) refuseMethod(allowed);
  const expires = verifyAddress(rules.secret, address, rules.clock());
  welcome?.();
  if (address.grant === 'PUT') {
    const proceed = exchange.invite ?? (() => undefined);
    return receiveUpload({ request, response, proceed }, address, rules);
  }
  const lifetimeMs = expires.getTime() - rules.clock().getTime();
  return sendObject({ request, response }, address, { folders: rules.folders, lifetimeMs });
}

/**
 * Decides whether the connection closes after an error. A refused body of acceptable size is read and dropped, so that a client that is
 * still sending gets the response instead of a reset. Other bodies are slow, unbounded, or may never arrive.
 */
function mustClose(exchange: Exchange, appError: AppError, maxBytes: number): boolean {
  const { headers } = exchange.request;
  if (exchange.invite !== undefined || headers['transfer-encoding'] !== undefined) return true;
  return appError.code === 'request.timeout' || Number(headers['content-length'] ?? 0) > maxBytes;
}

function answerFailure(exchange: Exchange, error: unknown, rules: ListenerRules, requestId: string): void {
  const { request, response } = exchange;
  if (error instanceof SenderGoneError || response.destroyed) return;
  const appError = toAppError(error);
  if (appError.row.status >= 500 && !appError.isLogged) rules.onError(error, requestId);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) if (!(name in commonHeaders)) response.removeHeader(name);
  for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
  response.setHeader('x-request-id', requestId);
  if (mustClose(exchange, appError, rules.maxBytes)) response.setHeader('connection', 'close');
  sendProblem(response, appError, { instance: (request.url ?? '/').split('?')[0] ?? '/', requestId });
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
 * Responds to bytes that the HTTP parser refuses: Content-Length with Transfer-Encoding, two lengths, bytes past the body, oversized
 * headers. Cuts a response that is being sent, so that the two never mix.
 */
function answerUnparsable(error: Error, socket: Socket, underway: ServerResponse | undefined): void {
  const answering = underway !== undefined && underway.headersSent && !underway.writableFinished;
  if (!socket.writable || answering || systemCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const late = systemCode(error) === 'ERR_HTTP_REQUEST_TIMEOUT';
  const appError = late
    ? new AppError('request.timeout', 'The request arrived too slowly. Send it again.')
    : new AppError('request.malformed', 'The request is not valid HTTP/1.1.');
  socket.end(rawProblem(appError));
}

/** Creates the HTTP server for signed addresses. It does not listen yet. */
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
  // Disconnects clients that stop reading. The timer of the body handles silent senders, and is shorter.
  server.setTimeout(Math.max(60_000, 2 * rules.pace.idleMs));
  return server;
}

/** Resolves with the bound port; rejects with the error of the system (`EADDRINUSE`, `EACCES`). */
export function startListening(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen({ host, port }, () => {
    server.off('error', reject);
    resolve((server.address() as AddressInfo).port);
  });
  return promise;
}

/** Refuses new connections, waits up to `graceMs` for open ones, then cuts them. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await promise;
  clearTimeout(cut);
}
