import type { Problem as ProblemBody } from '#src/contracts/resources/problem.ts';
import type { z } from 'zod';

type Body = Partial<z.output<typeof ProblemBody>>;

/** A refused or failed request: the server's own words, and what the page needs to react. Source: `errors.shape`, RFC 9457. */
export class Problem extends Error {
  /** 0: the server was not reached. */
  readonly status: number;
  /** Code of docs/reference/errors.md; `network` when there was no answer. */
  readonly code: string;
  readonly requestId: string | null;
  /** Seconds to wait before the next attempt, where the server says so. */
  readonly retryAfter: number | null;
  readonly body: Body;

  constructor(status: number, body: Body, retryAfter: number | null = null) {
    super(body.detail ?? body.title ?? 'The server gave no reason.');
    this.name = 'Problem';
    this.status = status;
    this.code = body.code ?? 'network';
    this.requestId = body.requestId ?? null;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

/** Messages by the name of their field, for a form; `''` collects those of the whole body. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(
    (error.body.errors ?? []).map(({ pointer, message }) => [pointer.replace(/^\/(body\/)?/, ''), message]),
  );
}

/** The body of a failed response, also when a proxy answered with something else than JSON. */
export async function problemOf(response: Response): Promise<Problem> {
  const after = Number(response.headers.get('retry-after'));
  const body = (await response.json().catch(() => ({ detail: `The server answered ${response.status}.` }))) as Body;
  return new Problem(response.status, body, Number.isFinite(after) && after > 0 ? after : null);
}
