import type { ErrorCode, ProblemBody } from './types.gen.ts';

/** Codes of errors that the client itself finds. */
type ClientCode = 'client.unreachable' | 'client.response';
/** Later servers may have codes that this version does not know. */
export type ProblemCode = ErrorCode | ClientCode | (string & {});

function messageOf({ detail, errors = [] }: Partial<ProblemBody>, status: number): string {
  const fields = errors.map(({ pointer, message }) => `${pointer}: ${message}`);
  const words = detail ?? `The server responded with ${status}.`;
  return fields.length === 0 ? words : `${words} (${fields.join('; ')})`;
}

/** An error response of the server, or its absence. `message` says what is wrong, and what to do. */
export class Problem extends Error {
  /** HTTP status; 0: there was no response. */
  readonly status: number;
  /** Code for programs, such as `document.not_found`. */
  readonly code: ProblemCode;
  /** Id to give to the operator of the server. */
  readonly requestId: string | null;
  /** Whole body of the response, as far as it is JSON. */
  readonly body: Partial<ProblemBody>;
  /** Seconds after which the server wants to be asked again; null: it does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    body: Partial<ProblemBody>,
    { retryAfterSeconds = null, cause }: { retryAfterSeconds?: number | null; cause?: unknown } = {},
  ) {
    super(messageOf(body, status), cause === undefined ? {} : { cause });
    this.name = 'Problem';
    this.status = status;
    this.code = body.code ?? 'client.response';
    this.requestId = body.requestId ?? null;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Seconds of a `Retry-After` header; null without one that is a number. */
function retryAfter(response: Response): number | null {
  const text = response.headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** Problem that an error response is. A proxy in between responds with something else than JSON. */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // The status says enough.
  }
  const known = typeof body === 'object' && body !== null ? (body as Partial<ProblemBody>) : {};
  return new Problem(response.status, known, { retryAfterSeconds: retryAfter(response) });
}

/** Problem of a server that does not respond at all. */
export function unreachable(url: string, cause: unknown): Problem {
  const { origin } = new URL(url, 'http://localhost');
  const { code, message = '' } = ((cause as Error | null)?.cause ?? {}) as { code?: string; message?: string };
  const why = (code ?? message) === '' ? '' : ` (${code ?? message})`;
  const detail = `${origin} cannot be reached${why}. Check the address, and that the server runs.`;
  return new Problem(0, { code: 'client.unreachable', detail }, { cause });
}
