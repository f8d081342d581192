import type { Request, RequestHandler, Response, Router } from 'express';
import type { z } from 'zod';
import type { Authenticator } from '#src/auth/authenticate.ts';
import type { Route } from '#src/contracts/route.ts';
import type { FieldError } from '#src/domain/fault.ts';
import type { AnyTool, Outcome, Tool, ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { call, fieldErrors, invalidInput } from '#tools/call.ts';
import { jsonBody } from '#http/guard/json-body.ts';
import type { RateLimiter } from '#http/guard/rate-limit.ts';
import { requestIdOf } from '#http/guard/request-id.ts';

export interface Facade {
  readonly authenticator: Authenticator;
  readonly deps: ToolDeps;
  /** null: rate limits are off. */
  readonly limiters: { readonly usual: RateLimiter; readonly expensive: RateLimiter } | null;
}

export interface Presentation {
  readonly expensive?: boolean;
  /** The body, with what headers say of it. */
  prepare?(request: Request): unknown;
  /** Headers and status beyond the row's usual ones. */
  present?(response: Response, output: Record<string, unknown>, outcome: Outcome): void;
}

/** Aborts when the client closes the connection before its answer is sent. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort(new Error('the client went away'));
  });
  return gone.signal;
}

function parsed(part: z.ZodType | undefined, value: unknown, errors: FieldError[]): object {
  if (part === undefined) return {};
  const result = part.safeParse(value);
  if (result.success) return result.data as object;
  errors.push(...fieldErrors(result.error));
  return {};
}

/**
 * Binds a contract row to a tool: authenticates the row's caller, checks params, query and body against the row, and answers what
 * the tool said. The facade knows statuses and headers; the tool knows neither.
 */
export function bind<Input extends z.ZodType, Output extends z.ZodObject>(
  router: Router,
  facade: Facade,
  row: Route,
  tool: Tool<Input, Output>,
  { expensive = false, prepare, present }: Presentation = {},
): void {
  const handle: RequestHandler = async (request, response) => {
    if (row.caller === 'anyone') throw new Error(`${row.id}: tools have callers`);
    const secret = request.headers['x-api-key'];
    const principal = await facade.authenticator.byKey(typeof secret === 'string' ? secret : undefined, row.caller);
    facade.limiters?.[expensive ? 'expensive' : 'usual'].take(principal.keyId, response);
    const errors: FieldError[] = [];
    const input = {
      ...parsed(row.params, request.params, errors),
      ...parsed(row.query, request.query, errors),
      ...parsed(row.body, prepare === undefined ? request.body : prepare(request), errors),
    };
    if (errors.length > 0) throw invalidInput(errors);
    const ctx: ToolContext = {
      principal,
      requestId: requestIdOf(response),
      surface: 'rest',
      signal: goneSignal(response),
      deps: facade.deps,
      outcome: {},
    };
    const output = await call(tool as unknown as AnyTool, ctx, input);
    response.status(row.status);
    present?.(response, output, ctx.outcome);
    response.json(output);
  };
  const guards = row.body === undefined ? [] : [jsonBody];
  if (row.method === 'GET') router.get(row.path, handle);
  else if (row.method === 'POST') router.post(row.path, ...guards, handle);
  else router.delete(row.path, handle);
}
