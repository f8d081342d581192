import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Authenticator } from '#src/auth/authenticate.ts';
import type { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import { sessionCookie, type Route } from '#src/contracts/route.ts';
import { AppError, type FieldError } from '#src/domain/app-error.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { AnyTool, Outcome, ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { cappedLimit } from '#tools/capped-limit.ts';
import { countDenied } from '#tools/audit/announced.ts';
import { callTool, invalidInput, validated } from '#tools/call.ts';
import { goneSignal } from '#http/gone-signal.ts';
import { countCall } from '#http/guard/count-call.ts';
import type { RateLimiters } from '#http/guard/rate-limit.ts';
import { sendJson } from '#http/revalidate.ts';
import { requestIdOf } from '#http/base-app.ts';
import { traceOf } from '#http/trace-request.ts';
import { sameSite } from '#http/guard/same-site.ts';
import { welcome } from '#http/guard/strangers.ts';
import { limits } from '#src/contracts/fields.ts';

/** Parses JSON bodies. Refuses any other content type with `request.media_type` before reading the body. */
export function jsonBodyOf(bytes: number): RequestHandler {
  // Not strict: a text or a number is valid JSON, and the row's own check reports it.
  const parse = express.json({ limit: bytes, strict: false });
  return (request, response, next) => {
    if (request.is('application/json') === false) {
      next(new AppError('request.media_type', 'Send Content-Type: application/json.'));
      return;
    }
    parse(request, response, next);
  };
}

export const jsonBody = jsonBodyOf(limits.jsonBodyBytes);

export interface Facade {
  readonly authenticator: Authenticator;
  readonly sessions: SessionAuthenticator;
  /** Origins whose pages may use a session. */
  origins(): readonly string[];
  readonly deps: ToolDeps;
  /** null: rate limits are off. */
  readonly limiters: RateLimiters | null;
}

/** Facts for a response that is no JSON. `signal` aborts when the client has gone. */
export type Sent = Pick<ToolContext, 'outcome' | 'signal' | 'principal'> & { readonly logger: ToolDeps['logger'] };

export interface Presentation {
  /** Returns the body, completed from headers. */
  readonly prepare?: (request: Request) => unknown;
  /** Names of the tool's fields, by the names in the row. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Turns what was asked into the tool's input, where names are not enough. */
  readonly convert?: (asked: object) => object;
  /** Sets a status or headers beyond the row's. */
  readonly present?: (response: Response, output: Record<string, unknown>, outcome: Outcome) => void;
  /** Sends the output in another form than JSON. False: this request asks for JSON. */
  readonly send?: (
    request: Request,
    response: Response,
    output: Record<string, unknown>,
    sent: Sent,
  ) => boolean | Promise<boolean>;
}

function parsed(part: Route['body'], value: unknown, errors: FieldError[]): object {
  if (part === undefined) return {};
  return (validated(part, value, errors) as object | undefined) ?? {};
}

/** Drops `organizationId`: the facade chose the organization, and the tool reads it from the principal. */
function asked({ caller }: Route, query: object): object {
  if (caller !== 'session' || !('organizationId' in query)) return query;
  const { organizationId: _, ...rest } = query;
  return rest;
}

function renamed(input: object, names: Readonly<Record<string, string>> = {}): object {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names[name] ?? name, value]));
}

export type Bind = (row: Route, tool: AnyTool, presentation?: Presentation) => void;

/**
 * Binds a contract row to a tool: authenticates the caller, validates params, query and body, and sends the tool's output. Statuses and
 * headers are known here; the tool knows neither.
 */
export function binder(router: Router, facade: Facade): Bind {
  return (row, tool, presentation = {}) => {
    const callers = new WeakMap<Request, Principal>();
    const admit = admission(facade, row, tool, callers);
    // Order matters: the body of an unauthenticated caller is never read.
    const guards = [...cookieGuards(facade, row), admit, ...(row.body === undefined ? [] : [jsonBody])];
    const handlers = [...guards, handlerOf(facade, row, tool, { ...presentation, callers })];
    if (row.method === 'GET') router.get(row.path, ...handlers);
    else if (row.method === 'POST') router.post(row.path, ...handlers);
    else if (row.method === 'PATCH') router.patch(row.path, ...handlers);
    else router.delete(row.path, ...handlers);
  };
}

const usesCookie = ({ caller }: Route): boolean => caller === 'session' || caller === 'editor';

/** Guards for every row that a session cookie authenticates. */
export function cookieGuards(facade: Facade, row: Route): RequestHandler[] {
  return usesCookie(row) ? [sameSite(() => facade.origins())] : [];
}

/** Errors: `auth.unauthorized`; `auth.forbidden` for a credential of another family; `organization.not_found`. */
async function callerOf(
  { authenticator, sessions }: Facade,
  row: Route,
  request: Request,
  response: Response,
): Promise<Principal> {
  const { caller } = row;
  if (caller === 'anyone') throw new Error(`${row.id}: a tool needs a caller`);
  const header = request.headers['x-api-key'];
  const secret = typeof header === 'string' ? header : undefined;
  if (caller !== 'session' && caller !== 'editor') return authenticator.byKey(secret, caller);
  const { cookie } = request.headers;
  // Other cookies, such as a load balancer's, may accompany a key and are ignored.
  if (secret !== undefined && cookie?.includes(`${sessionCookie}=`) !== true)
    return authenticator.byKey(secret, caller === 'editor' ? 'service-key' : 'session');
  const named = request.query['organizationId'];
  return inSession(response, () => sessions.byCookie(cookie, typeof named === 'string' ? named : undefined));
}

/** Adds a `WWW-Authenticate` challenge to a 401. Other errors carry none. */
export async function inSession<T>(response: Response, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.row.status === 401)
      response.setHeader('www-authenticate', 'Session realm="inkgraph"');
    throw error;
  }
}

/** Authenticates the row's caller and counts the request against its rate limit. */
export function admission(
  facade: Facade,
  row: Route,
  { expensive }: Pick<AnyTool, 'expensive'>,
  callers: WeakMap<Request, Principal>,
): RequestHandler {
  return async (request, response, next) => {
    // Responses depend on the caller, errors included, and the caller is not part of the URL.
    response.setHeader('cache-control', 'no-store');
    const principal = await callerOf(facade, row, request, response);
    const caller = principal.session?.id ?? principal.actorId;
    welcome(response, caller);
    try {
      await countCall(facade.limiters, { expensive: expensive === true, caller, principal }, response);
    } catch (error) {
      countDenied({ deps: facade.deps, principal, ip: request.ip ?? null }, row.id, error);
      throw error;
    }
    callers.set(request, principal);
    next();
  };
}

function handlerOf(
  facade: Facade,
  row: Route,
  tool: AnyTool,
  presentation: Presentation & { readonly callers: WeakMap<Request, Principal> },
): RequestHandler {
  const bodyOf = presentation.prepare ?? ((request: Request): unknown => request.body);
  return async (request, response) => {
    const principal = presentation.callers.get(request);
    if (principal === undefined) throw new Error(`${row.id}: no caller was authenticated`);
    const errors: FieldError[] = [];
    const input = {
      ...parsed(row.params, request.params, errors),
      ...asked(row, parsed(row.query, request.query, errors)),
      ...parsed(row.body, row.body === undefined ? undefined : bodyOf(request), errors),
    };
    if (errors.length > 0) throw invalidInput(errors);
    const ctx: ToolContext = {
      principal,
      requestId: requestIdOf(response),
      surface: 'rest',
      trace: traceOf(response),
      ip: request.ip ?? null,
      signal: goneSignal(response),
      deps: facade.deps,
      outcome: {},
    };
    const converted = presentation.convert?.(input) ?? renamed(input, presentation.rename);
    const output = await callTool(tool, ctx, converted);
    response.status(row.status);
    const capped = cappedLimit(request.query, input);
    if (capped !== null) response.setHeader('x-limit-capped', String(capped));
    presentation.present?.(response, output, ctx.outcome);
    const sent = { ...ctx, logger: facade.deps.logger };
    if ((await presentation.send?.(request, response, output, sent)) !== true) sendJson(request, response, output);
  };
}
