import { errorCodes, type ErrorCode } from '#src/contracts/error-codes.ts';

/** One invalid field: a JSON Pointer into the request, a short machine code, a sentence with the way out. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/**
 * The only error that tools, nodes and adapters throw on purpose. `detail` is shown to clients and agents: no path, no secret,
 * no other tenant's data; the `cause` is only logged.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
  /** JSON for machines, beside the words: extension members of the problem. Under the same rules as `detail`. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      errors?: readonly FieldError[];
      retryAfterSeconds?: number;
      data?: Readonly<Record<string, unknown>>;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'Fault';
    this.code = code;
    this.detail = detail;
    this.errors = more.errors ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.data = more.data;
  }

  get row(): (typeof errorCodes)[ErrorCode] {
    return errorCodes[this.code];
  }
}
