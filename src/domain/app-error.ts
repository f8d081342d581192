import { fieldErrorsMax } from '#src/contracts/shapes/oversize.ts';
import { errorCodes, type ErrorCode } from '#src/contracts/error-codes.ts';
import type { FailureReason } from '#src/domain/failure-reason.ts';

/**
 * Base class of every error that Inkgraph throws on purpose. The message is for people: what is wrong, then what to do. Subclasses are
 * named after their kind of error, such as `AppError` (codes of `errorCodes`), `OAuthError` (codes of RFC 6749), `EditError` (operations
 * of `graphs/edit`) and `ConfigError` (environment).
 */
export class InkgraphError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** One invalid field: a JSON Pointer into the request, a short machine code, and a message that says what to do. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/**
 * An error for clients and agents, with a code of `errorCodes`. They see `detail`, so it must contain no path, no secret and no data of
 * another tenant. The `cause` is only logged.
 */
export class AppError extends InkgraphError {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The first 20. */
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
  /** The log has it already: a limit that is hit often is logged once a minute. */
  readonly isLogged: boolean;
  /** Extension members of the problem, for programs. The rules of `detail` apply. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** Reason of a failed call to a model or an outside service; steps and runs keep it beside the code. */
  readonly reason: FailureReason | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      errors?: readonly FieldError[];
      retryAfterSeconds?: number;
      isLogged?: boolean;
      data?: Readonly<Record<string, unknown>>;
      reason?: FailureReason | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.detail = detail;
    this.errors = more.errors?.slice(0, fieldErrorsMax) ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.isLogged = more.isLogged === true;
    this.data = more.data;
    this.reason = more.reason;
  }

  get row(): (typeof errorCodes)[ErrorCode] {
    return errorCodes[this.code];
  }
}
