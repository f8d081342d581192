import type { Request, RequestHandler, Response } from 'express';
import { authenticateClient, type ClientDirectory } from '#tools/oauth/authenticate-client.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { readParameters, type FormParameters } from '#src/domain/access/oauth/parameters.ts';
import type { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { requestIdOf } from '#http/base-app.ts';
import { asAppError } from '#http/problem.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

interface ErrorResponse {
  readonly status: number;
  readonly error: string;
  readonly description: string;
}

function descriptionOf({ row: { status }, detail }: AppError): string {
  if (status === 429) return 'too many requests from this address';
  if (status === 413) return 'the request is too large';
  return detail.replaceAll(/["\\]|[^ -~]/g, '');
}

/** Maps an error to RFC 6749 §5.2, which has few codes: the description and the status say more. */
function errorResponseOf(error: unknown): ErrorResponse & { readonly appError: AppError | null } {
  if (error instanceof OAuthError)
    return { status: error.status, error: error.code, description: error.description, appError: null };
  const appError = asAppError(error);
  const { status } = appError.row;
  const code = status >= 500 ? 'server_error' : 'invalid_request';
  return {
    status,
    error: status === 429 || status === 503 ? 'temporarily_unavailable' : code,
    description: descriptionOf(appError),
    appError,
  };
}

export function sendOAuthError(logger: Logger, error: unknown, response: Response): void {
  const { status, error: code, description, appError } = errorResponseOf(error);
  const { path } = response.req;
  if (status >= 500 && appError?.isLogged !== true)
    logger.error({ err: appError?.cause ?? error, requestId: requestIdOf(response), path }, 'request failed');
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="inkgraph"');
  const retryAfter = appError?.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  response.status(status).json({ error: code, error_description: description });
}

/** Sends errors in the form of OAuth, and forbids caching. Source: RFC 6749 §5.1, §5.2. */
export function oauthHandler(
  logger: Logger,
  work: (request: Request, response: Response) => Promise<object | null>,
): RequestHandler {
  return async (request, response) => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader('pragma', 'no-cache');
    try {
      const body = await work(request, response);
      if (body === null) response.end();
      else response.json(body);
    } catch (error) {
      sendOAuthError(logger, error, response);
    }
  };
}

/** Reads the form and authenticates its client. Errors: `invalid_request`, `invalid_client`. */
export async function admitted(
  parts: { readonly clients: ClientDirectory; readonly store: OAuthStore },
  request: Request,
): Promise<{ readonly client: OAuthClient; readonly parameters: FormParameters }> {
  if (typeof request.body !== 'string')
    throw new OAuthError('invalid_request', 'send Content-Type: application/x-www-form-urlencoded');
  const parameters = readParameters(request.body);
  return { client: await authenticateClient(parts, request.headers.authorization, parameters), parameters };
}
