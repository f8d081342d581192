import type { Request, RequestHandler, Response } from 'express';
import { authenticateClient, type ClientDirectory } from '#tools/oauth/authenticate-client.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { readParameters, type FormParameters } from '#src/domain/access/oauth/parameters.ts';
import type { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { requestIdOf } from '#http/guard/request-id.ts';
import { asAppError } from '#http/problem.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly description: string;
}

function descriptionOf({ row: { status }, detail }: AppError): string {
  if (status === 429) return 'too many requests from this address';
  if (status === 413) return 'the request is too large';
  return detail.replaceAll(/["\\]|[^ -~]/g, '');
}

/** RFC 6749 §5.2 has few words: what is meant is in the description and the status. */
function refusalOf(error: unknown): Refusal & { readonly fault: AppError | null } {
  if (error instanceof OAuthError)
    return { status: error.status, error: error.code, description: error.description, fault: null };
  const fault = asAppError(error);
  const { status } = fault.row;
  const code = status >= 500 ? 'server_error' : 'invalid_request';
  return {
    status,
    error: status === 429 || status === 503 ? 'temporarily_unavailable' : code,
    description: descriptionOf(fault),
    fault,
  };
}

/** Refusals in the words of OAuth, and nothing kept by anybody on the way. Source: RFC 6749 §5.1, §5.2. */
export function answering(
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
      const { status, error: code, description, fault } = refusalOf(error);
      if (status >= 500)
        logger.error(
          { err: fault?.cause ?? error, requestId: requestIdOf(response), path: request.path },
          'request failed',
        );
      if (status === 401) response.setHeader('www-authenticate', 'Basic realm="inkgraph"');
      const retryAfter = fault?.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined);
      if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
      response.status(status).json({ error: code, error_description: description });
    }
  };
}

/** Parameters of the form, and the client that it proves to come from. Problems: `invalid_request`, `invalid_client`. */
export async function admitted(
  parts: { readonly clients: ClientDirectory; readonly store: OAuthStore },
  request: Request,
): Promise<{ readonly client: OAuthClient; readonly parameters: FormParameters }> {
  if (typeof request.body !== 'string')
    throw new OAuthError('invalid_request', 'send Content-Type: application/x-www-form-urlencoded');
  const parameters = readParameters(request.body);
  return { client: await authenticateClient(parts, request.headers.authorization, parameters), parameters };
}
